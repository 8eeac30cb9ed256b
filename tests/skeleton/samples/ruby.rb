# frozen_string_literal: true
require "set"

# A basket.
class Basket < Base
  include Enumerable
  LIMIT = 10
  attr_reader :items
  SORT = ->(a, b) { a.size <=> b.size }

  def initialize(items, owner: nil)
    @items = items
    @table = {
      a: 1,
    }
    log(owner)
  end

  # Total.
  def total(discount = 0) # :nodoc:
    # why
    items.sum
  rescue Error => e
    0
  end

  def self.make(*args) = new(*args)
  def short; @x; end
  private

  def hidden?; items.empty? && other; end
  define_method(:named) do |x|
    x + 1
  end
  module Inner
    def self.deep
      compute
    end
  end
end
