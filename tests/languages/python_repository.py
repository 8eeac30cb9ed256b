"""Quantities with units; the issue shows an operator, not a method."""

from languages.repository import Repository, files_of, minified

_FILES = r'''
=== metra/__init__.py
"""Numbers that know their unit."""

from metra.quantity import Quantity
from metra.registry import UnitRegistry

_registry = UnitRegistry.default()


def Q_(value, unit=""):
    """A quantity of the default registry."""
    return Quantity(value, _registry.parse(unit))


__all__ = ["Q_", "Quantity", "UnitRegistry"]

=== metra/errors.py
class MetraError(Exception):
    """Base of all errors."""


class DimensionMismatch(MetraError):
    """Two quantities cannot be added or compared."""

    def __init__(self, left, right):
        super().__init__(f"{left} and {right} are of different dimensions")
        self.left = left
        self.right = right


class UnknownUnit(MetraError):
    def __init__(self, name):
        super().__init__(f"unknown unit {name!r}")

=== metra/dimension.py
"""Exponents of the base units."""

from fractions import Fraction


class Dimension:
    __slots__ = ("_exponents",)

    def __init__(self, exponents=()):
        self._exponents = {base: Fraction(power) for base, power in dict(exponents).items() if power}

    def times(self, other, sign=1):
        merged = dict(self._exponents)
        for base, power in other._exponents.items():
            merged[base] = merged.get(base, 0) + sign * power
        return Dimension(merged)

    def scaled(self, factor):
        return Dimension({base: power * factor for base, power in self._exponents.items()})

    def items(self):
        return sorted(self._exponents.items())

    def __eq__(self, other):
        return isinstance(other, Dimension) and self._exponents == other._exponents

    def __hash__(self):
        return hash(tuple(self.items()))

=== metra/unit.py
from metra.dimension import Dimension


class Unit:
    """A factor to the base units and a dimension."""

    def __init__(self, factor=1.0, dimension=Dimension(), symbol=""):
        self.factor = factor
        self.dimension = dimension
        self.symbol = symbol

    def times(self, other):
        return Unit(self.factor * other.factor, self.dimension.times(other.dimension))

    def over(self, other):
        return Unit(self.factor / other.factor, self.dimension.times(other.dimension, -1))

    def raised(self, power):
        return Unit(self.factor**power, self.dimension.scaled(power))

    def converts_to(self, other):
        return self.dimension == other.dimension

=== metra/quantity.py
"""Arithmetic."""

from metra.errors import DimensionMismatch
from metra.formatting import format_quantity
from metra.unit import Unit


class Quantity:
    """A number and what it is measured in: ``Quantity(9, metre)`` is printed as ``9 m``."""

    __slots__ = ("magnitude", "unit")

    def __init__(self, magnitude, unit=None):
        self.magnitude = magnitude
        self.unit = unit or Unit()

    def to(self, target):
        if not self.unit.converts_to(target):
            raise DimensionMismatch(self.unit.symbol, target.symbol)
        return Quantity(self.magnitude * self.unit.factor / target.factor, target)

    def __add__(self, other):
        return Quantity(self.magnitude + other.to(self.unit).magnitude, self.unit)

    def __sub__(self, other):
        return Quantity(self.magnitude - other.to(self.unit).magnitude, self.unit)

    def __mul__(self, other):
        if not isinstance(other, Quantity):
            return Quantity(self.magnitude * other, self.unit)
        return Quantity(self.magnitude * other.magnitude, self.unit.times(other.unit))

    def __truediv__(self, other):
        if not isinstance(other, Quantity):
            return Quantity(self.magnitude / other, self.unit)
        return Quantity(self.magnitude / other.magnitude, self.unit.over(other.unit))

    def __pow__(self, power):
        if isinstance(power, Quantity):
            power = power.to(Unit()).magnitude
        return Quantity(self.magnitude**power, self.unit.raised(int(power)))

    def __neg__(self):
        return Quantity(-self.magnitude, self.unit)

    def __lt__(self, other):
        return self.magnitude < other.to(self.unit).magnitude

    def __eq__(self, other):
        return self.unit.converts_to(other.unit) and self.magnitude == other.to(self.unit).magnitude

    def __hash__(self):
        return hash((self.magnitude * self.unit.factor, self.unit.dimension))

    def __repr__(self):
        return format_quantity(self)

=== metra/registry.py
from metra.dimension import Dimension
from metra.errors import UnknownUnit
from metra.parsing import parse_unit
from metra.unit import Unit

_BASES = {"m": "length", "s": "time", "kg": "mass", "K": "temperature", "A": "current"}


class UnitRegistry:
    """Units by name."""

    def __init__(self):
        self._units = {}

    @classmethod
    def default(cls):
        registry = cls()
        for symbol, base in _BASES.items():
            registry.define(symbol, Unit(1.0, Dimension({base: 1}), symbol))
        registry.define("km", Unit(1000.0, Dimension({"length": 1}), "km"))
        registry.define("h", Unit(3600.0, Dimension({"time": 1}), "h"))
        return registry

    def define(self, symbol, unit):
        self._units[symbol] = unit

    def lookup(self, symbol):
        try:
            return self._units[symbol]
        except KeyError:
            raise UnknownUnit(symbol) from None

    def parse(self, text):
        return parse_unit(text, self)

=== metra/parsing.py
"""``kg*m^2/s^2`` to a unit."""

import re

from metra.unit import Unit

_FACTOR = re.compile(r"([*/]?)([A-Za-z]+)(?:\^(-?\d+))?")


def parse_unit(text, registry):
    """Read a product of symbols."""
    unit = Unit()
    for sign, symbol, power in _FACTOR.findall(text.replace(" ", "")):
        factor = registry.lookup(symbol).raised(int(power or 1))
        unit = unit.over(factor) if sign == "/" else unit.times(factor)
    unit.symbol = text
    return unit

=== metra/formatting.py
"""How a quantity is printed: the number, then the unit with its exponent."""

_SHORT = {"length": "m", "time": "s", "mass": "kg", "temperature": "K", "current": "A"}


def format_unit(unit):
    """The unit as text, ``m^2`` or ``m`` or nothing for a plain number without a unit."""
    if unit.symbol:
        return unit.symbol
    parts = []
    for base, exponent in unit.dimension.items():
        parts.append(_SHORT[base] if exponent == 1 else f"{_SHORT[base]}^{exponent}")
    return " ".join(parts)


def format_quantity(quantity, digits=6):
    """What print shows; the number comes out first and the unit follows."""
    number = f"{quantity.magnitude:.{digits}g}"
    return f"{number} {format_unit(quantity.unit)}".rstrip()

=== metra/roots.py
"""Roots of quantities: the square root of an area has the right unit, so a plot gives its side in metres."""

import math

from metra.quantity import Quantity
from metra.unit import Unit


def sqrt(quantity):
    """Square root; a fractional exponent is kept."""
    half = quantity.unit.dimension.scaled(0.5)
    return Quantity(math.sqrt(quantity.magnitude), Unit(math.sqrt(quantity.unit.factor), half))


def cbrt(quantity):
    """Cube root of a volume."""
    third = quantity.unit.dimension.scaled(1 / 3)
    return Quantity(math.copysign(abs(quantity.magnitude) ** (1 / 3), quantity.magnitude), Unit(1.0, third))

=== metra/survey/__init__.py
"""Land survey: plots and their areas."""

=== metra/survey/plots.py
"""Plots of a land register: the area of each in square metres, the side of a square plot."""

from metra.roots import sqrt


class Plot:
    """A plot of the land register, written with its number and its area."""

    def __init__(self, number, area):
        self.number = number
        self.area = area

    def side(self):
        return sqrt(self.area)

    def fence(self):
        """Metres of fence that go round a square plot."""
        return self.side() * 4

    def print_line(self):
        """What the register prints for the plot."""
        return f"{self.number}: {self.area} (side {self.side()})"

=== metra/survey/register.py
"""The land register: all plots, written to and read from a file."""

import csv

from metra.quantity import Quantity
from metra.survey.plots import Plot


class LandRegister:
    def __init__(self, square_metres):
        self._square_metres = square_metres
        self._plots = {}

    def read(self, path):
        """Plots come with the area as a number of square metres, without a unit."""
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                self._plots[row["number"]] = Plot(row["number"], Quantity(float(row["area"]), self._square_metres))

    def total_area(self):
        """Square metres of all plots; the root of nothing."""
        total = Quantity(0, self._square_metres)
        for plot in self._plots.values():
            total = total + plot.area
        return total

    def print_all(self):
        for plot in self._plots.values():
            print(plot.print_line())

=== metra/statistics.py
"""Mean, variance and standard deviation of quantities."""

from metra.roots import sqrt


def mean(values):
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total / len(values)


def variance(values):
    """In the square of the unit."""
    centre = mean(values)
    squares = [(value - centre) * (value - centre) for value in values]
    return mean(squares)


def deviation(values):
    return sqrt(variance(values))

=== metra/constants.py
"""Constants of nature."""

SPEED_OF_LIGHT = 299_792_458.0
PLANCK = 6.626_070_15e-34
BOLTZMANN = 1.380_649e-23
GRAVITY = 9.806_65


def photon_energy(wavelength):
    """Joules of a photon of a wavelength in metres."""
    return PLANCK * SPEED_OF_LIGHT / wavelength

=== metra/temperature.py
"""Offsets: Celsius and Fahrenheit."""

_ZERO = {"C": 273.15, "F": 459.67}
_STEP = {"C": 1.0, "F": 5 / 9}


def to_kelvin(value, scale):
    return (value + _ZERO[scale]) * _STEP[scale]


def from_kelvin(value, scale):
    return value / _STEP[scale] - _ZERO[scale]

=== metra/serialise.py
"""JSON in and out."""

import json

from metra.quantity import Quantity


def dumps(quantity):
    return json.dumps({"magnitude": quantity.magnitude, "unit": quantity.unit.symbol})


def loads(text, registry):
    data = json.loads(text)
    return Quantity(data["magnitude"], registry.parse(data["unit"]))

=== tests/test_quantity.py
from metra import Q_


def test_square_root_of_an_area_keeps_its_unit():
    side = Q_(49, "m^2") ** 0.5
    assert str(side) == "7 m"

=== metra/_vendor/powers.py
"""Fractional exponent of a number: square root, side, area, unit, plot."""


def rooted(number, exponent=0.5):
    """Square root of a number without a unit, written with a fractional exponent."""
    return number**exponent

=== setup.cfg
[metadata]
name = metra
'''

REPOSITORY = Repository(
    language="python",
    files=files_of(_FILES) | {"docs/_static/search.min.js": minified("square root area unit side plot register")},
    issue="""`**` with a fractional power drops the unit of a `Quantity`

I have plots of a land register as areas in square metres and want the side of a square one:

```python
print(Q_(49, "m^2") ** 0.5)
```

This prints the number `7` alone, without a unit, where I expect `7 m`. The magnitude is right. With the power 2, as in
`plot ** 2`, the unit is right, too.
""",
    path="metra/quantity.py",
    name="Quantity.__pow__",
    first="def __pow__(self, power):",
    last="        return Quantity(self.magnitude**power, self.unit.raised(int(power)))",
    decoys=("metra/roots.py", "metra/survey/plots.py", "metra/survey/register.py"),
    never=("tests/test_quantity.py", "metra/_vendor/powers.py", "docs/_static/search.min.js"),
)
