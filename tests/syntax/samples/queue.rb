require 'set'
require_relative "lib/base"

# Jobs.
module Jobs
  # A queue.
  class Queue < Base::Store
    include Enumerable

    Item = Struct.new(:name) do
      def label
        name
      end
    end

    def initialize(size)
      @size = size
    end

    def self.build; end

    class << self
      def default
        new(1)
      end
    end

    # Adds.
    private def push!(x)
      raise Jobs::Full.new("#{x.to_s} no") if full?
      @items&.add(x)
    end

    def ==(other) = true
  end
end

def top
  puts "x"
end
