"""Instance methods with #, singleton methods with a dot."""

from outlines.sample import Sample

_SOURCE = """\
# frozen_string_literal: true
require "json"
require_relative "shop/item"

module Shop
  # Keeps the orders
  # of one day.
  #
  # @since 1.2
  class Orders < Base::Store
    include Enumerable
    extend Forwardable

    attr_reader :items

    def initialize(items = [], limit: 10)
      @items = items
    end

    def self.build(path)
      new(JSON.parse(File.read(path)))
    end

    class << self
      def instance; @instance ||= build("x #{default_path}"); end
    end

    def [](key)
      items.find { |item| item.key == key } or raise KeyError, "no # key"
    end

    def empty? = items.empty?

    def total=(value)
      raise Shop::Frozen.new(value) if frozen?
    end

    private

    def check!
      define_method(:x) { 1 }
    end
  end

  class Error < StandardError; end
  Line = Struct.new(:name, :price) do
    def cost; price * 2; end
  end

  def self.run; end
end

class Shop::Late
  def late; end
end

def top(a)
  a&.shop&.name
end
"""

SAMPLE = Sample(
    "ruby",
    _SOURCE,
    [
        ("class", "Shop", 5, 51),
        ("class", "Shop::Orders", 6, 43),
        ("method", "Shop::Orders#initialize", 16, 18),
        ("method", "Shop::Orders.build", 20, 22),
        ("method", "Shop::Orders.instance", 25, 25),
        ("method", "Shop::Orders#[]", 28, 30),
        ("method", "Shop::Orders#empty?", 32, 32),
        ("method", "Shop::Orders#total=", 34, 36),
        ("method", "Shop::Orders#check!", 40, 42),
        ("class", "Shop::Error", 45, 45),
        ("class", "Shop::Line", 46, 48),
        ("method", "Shop::Line#cost", 47, 47),
        ("method", "Shop.run", 50, 50),
        ("class", "Shop::Late", 53, 55),
        ("method", "Shop::Late#late", 54, 54),
        ("function", "top", 57, 59),
    ],
    details={"Shop": "module", "Shop::Orders#initialize": "constructor", "Shop::Orders.build": "singleton"},
    bases={"Shop::Orders": ("Base::Store", "Enumerable", "Forwardable"), "Shop::Error": ("StandardError",)},
    signatures={"Shop::Orders": "class Orders < Base::Store", "Shop::Orders.build": "def self.build(path)"},
    docstrings={"Shop::Orders": "Keeps the orders of one day."},
    zones=[("string", "no # key"), ("comment", "# of one day."), ("string", "x ")],
    no_zones=("default_path",),
)
