"""Interfaces, traits, enums and attributes."""

from outlines.sample import Sample

_SOURCE = """\
<html><?php
declare(strict_types=1);

namespace App\\Shop;

use App\\Core\\{Base, Tools as T};
use function App\\helper;
require_once __DIR__ . '/legacy.php';

interface Sells extends \\Countable, HasName
{
    public function price(int $key): ?float;
}

trait Logs {
    protected function log(string $text): void { error_log("shop: $text"); }
}

/**
 * Keeps the orders.
 *
 * @author nobody
 */
#[Entity(table: 'orders')]
final class Orders extends Base implements Sells, \\Iterator
{
    use Logs, T\\Counts;

    # For the tests.
    public function __construct(private readonly array $items = []) {
        parent::__construct();
    }

    public function price(int $key): ?float
    {
        if (!isset($this->items[$key])) {
            throw new \\OutOfRangeException('no // key');
        }
        return T::round($this->shop?->price($key)->value());
    }

    #[Pure]
    public static function make(): static { return new static(); }

    abstract protected function later(): void;
}

enum State: string implements HasName {
    case Open = 'open';
    public function label(): string { return ucfirst($this->value); }
}

/* Adds. */
function add(int ...$all) {
    $twice = function ($x) { return $x * 2; };
    function inner() {}
    return array_sum(array_map(fn($x) => $twice($x), $all));
}
?>
<p>after</p>
"""

SAMPLE = Sample(
    "php",
    _SOURCE,
    [
        ("class", "Sells", 10, 13),
        ("method", "Sells::price", 12, 12),
        ("class", "Logs", 15, 17),
        ("method", "Logs::log", 16, 16),
        ("class", "Orders", 19, 46),
        ("method", "Orders::__construct", 29, 32),
        ("method", "Orders::price", 34, 40),
        ("method", "Orders::make", 42, 43),
        ("method", "Orders::later", 45, 45),
        ("class", "State", 48, 51),
        ("method", "State::label", 50, 50),
        ("function", "add", 53, 58),
        ("function", "add::inner", 56, 56),
    ],
    details={
        "Sells": "interface",
        "Sells::price": "declaration",
        "Logs": "trait",
        "Orders::__construct": "constructor",
        "Orders::later": "declaration",
        "State": "enum",
    },
    bases={
        "Orders": ("Base", "Sells", "\\Iterator", "Logs", "T\\Counts"),
        "Sells": ("\\Countable", "HasName"),
        "State": ("HasName",),
    },
    signatures={
        "Orders": "final class Orders extends Base implements Sells, \\Iterator",
        "Orders::make": "public static function make(): static",
    },
    docstrings={"Orders": "Keeps the orders.", "Orders::__construct": "For the tests.", "add": "Adds."},
    zones=[("string", "no // key"), ("comment", "# For the tests."), ("string", "shop: ")],
    no_zones=("array_sum",),
)
