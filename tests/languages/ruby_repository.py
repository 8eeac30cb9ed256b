"""Bookkeeping for clubs; the issue names a method of a class."""

from languages.repository import Repository, files_of, minified

_FILES = r"""
=== lib/kassa.rb
# frozen_string_literal: true

require_relative "kassa/ledger"
require_relative "kassa/report"
require_relative "kassa/members/member"

module Kassa
  VERSION = "1.4.0"
end

=== lib/kassa/money.rb
# frozen_string_literal: true

module Kassa
  # Whole cents.
  class Money
    include Comparable

    attr_reader :cents

    def initialize(cents)
      @cents = Integer(cents)
    end

    def self.parse(text)
      whole, fraction = text.tr(",", ".").split(".")
      new(whole.to_i * 100 + fraction.to_s.ljust(2, "0")[0, 2].to_i)
    end

    def +(other)
      Money.new(cents + other.cents)
    end

    def <=>(other)
      cents <=> other.cents
    end

    def to_s
      format("%d.%02d", *cents.divmod(100))
    end
  end
end

=== lib/kassa/entry.rb
# frozen_string_literal: true

module Kassa
  Entry = Struct.new(:date, :account, :amount, :note) do
    def income?
      amount.cents.positive?
    end
  end
end

=== lib/kassa/ledger.rb
# frozen_string_literal: true

require_relative "entry"

module Kassa
  class Ledger
    def initialize
      @entries = []
    end

    def post(date, account, amount, note = "")
      @entries << Entry.new(date, account, amount, note)
      self
    end

    def each(&block)
      @entries.sort_by(&:date).each(&block)
    end

    def balance
      @entries.map(&:amount).reduce(Money.new(0), :+)
    end
  end
end

=== lib/kassa/report.rb
# frozen_string_literal: true

require "json"

module Kassa
  class Report
    COLUMNS = %w[date account amount note].freeze

    def initialize(ledger)
      @ledger = ledger
    end

    def to_text
      rows.map { |row| row.join("  ") }.join("\n")
    end

    def to_csv(separator: ",")
      lines = [COLUMNS.join(separator)]
      rows.each { |row| lines << row.join(separator) }
      "#{lines.join("\n")}\n"
    end

    def to_json(*)
      JSON.generate(rows.map { |row| COLUMNS.zip(row).to_h })
    end

    private

    def rows
      found = []
      @ledger.each { |entry| found << [entry.date, entry.account, entry.amount.to_s, entry.note] }
      found
    end
  end
end

=== lib/kassa/accounts.rb
# frozen_string_literal: true

module Kassa
  class Accounts
    def initialize(names)
      @names = names.to_h { |name| [name.downcase, name] }
    end

    def find(name)
      @names.fetch(name.downcase) { raise KeyError, "no account #{name}" }
    end

    def self.default
      new(%w[Cash Bank Fees Gifts])
    end
  end
end

=== lib/kassa/spreadsheet.rb
# frozen_string_literal: true

module Kassa
  # Opens a spreadsheet in which a comma separates the columns; a note with a comma moves to the next column.
  class Spreadsheet
    def initialize(text)
      @text = text
    end

    # The columns of a line; a note in quotes stays in one column, so the treasurer can write a comma in a note.
    def columns(line)
      line.scan(/"((?:[^"]|"")*)"|([^,]+)/).map { |quoted, plain| quoted ? quoted.gsub('""', '"') : plain }
    end

    def lines
      @text.lines(chomp: true).map { |line| columns(line) }
    end
  end
end

=== lib/kassa/treasurer.rb
# frozen_string_literal: true

module Kassa
  # What the treasurer of a club does at the end of a year: the spreadsheet is opened and every note is read.
  class Treasurer
    def initialize(ledger, spreadsheet)
      @ledger = ledger
      @spreadsheet = spreadsheet
    end

    # Amounts that moved to a wrong column of the spreadsheet, because the treasurer wrote a comma in the note.
    def suspicious
      @spreadsheet.lines.reject { |columns| columns.length == 4 }
    end

    def sign(year)
      "The treasurer of the club has checked the year #{year}: #{@ledger.balance}"
    end
  end
end

=== lib/kassa/bank_import.rb
# frozen_string_literal: true

require_relative "money"

module Kassa
  # Reads the file of the bank, in which the columns are set apart by a semicolon since every amount has a comma.
  class BankImport
    def initialize(accounts)
      @accounts = accounts
    end

    # Notes of the bank have no quotes; a note with a semicolon would have one column more, and the treasurer sees it.
    def read(text, ledger)
      text.each_line(chomp: true) do |line|
        date, account, amount, note = line.split(";", 4)
        ledger.post(date, @accounts.find(account), Money.parse(amount), note)
      end
    end
  end
end

=== lib/kassa/members/member.rb
# frozen_string_literal: true

module Kassa
  class Member
    attr_reader :name, :joined

    def initialize(name, joined)
      @name = name
      @joined = joined
    end

    def fee(table)
      table.fee_for(Time.now.year - joined.year)
    end
  end
end

=== lib/kassa/members/fee_table.rb
# frozen_string_literal: true

module Kassa
  class FeeTable
    STEPS = { 0 => 2400, 10 => 1800, 25 => 0 }.freeze

    def fee_for(years)
      STEPS.select { |from, _| years >= from }.max.last
    end
  end
end

=== lib/kassa/members/reminder.rb
# frozen_string_literal: true

module Kassa
  class Reminder
    def initialize(member, open_fee)
      @member = member
      @open_fee = open_fee
    end

    def text
      "Dear #{@member.name}, #{@open_fee} is still open."
    end
  end
end

=== lib/kassa/budget.rb
# frozen_string_literal: true

module Kassa
  class Budget
    def initialize(limits)
      @limits = limits
    end

    def exceeded(ledger)
      spent = Hash.new(0)
      ledger.each { |entry| spent[entry.account] -= entry.amount.cents }
      @limits.select { |account, limit| spent[account] > limit.cents }.keys
    end
  end
end

=== lib/kassa/calendar.rb
# frozen_string_literal: true

module Kassa
  module Calendar
    def self.quarter(date)
      (date.month + 2) / 3
    end

    def self.year_of_club(date)
      date.month >= 9 ? date.year : date.year - 1
    end
  end
end

=== lib/kassa/cli.rb
# frozen_string_literal: true

require "optparse"

module Kassa
  class Cli
    def run(arguments)
      options = {}
      OptionParser.new { |parser| parser.on("--json") { options[:json] = true } }.parse!(arguments)
      report = Report.new(Ledger.new)
      puts options[:json] ? report.to_json : report.to_text
    end
  end
end

=== spec/report_spec.rb
describe Kassa::Report do
  it "keeps a note with a comma in one column of the spreadsheet, in quotes, so that the treasurer can read to_csv" do
    expect(subject.to_csv).to include('"tea, cake"')
  end
end

=== vendor/bundle/csv.rb
# The treasurer opens a spreadsheet: a note with a comma is put in quotes and stays in one column
class CSV; def self.to_csv(note) = note; end
"""

REPOSITORY = Repository(
    language="ruby",
    files=files_of(_FILES)
    | {"public/club.min.js": minified("treasurer spreadsheet note comma column quotes club amount")},
    issue="""Report#to_csv: a note with a comma moves to the next column

Our treasurer wrote "tea, cake and flowers" as a note. When the spreadsheet is opened, `cake and flowers` stands in a
column of its own, and other programs refuse the file because it has one column more than the first line says.
Notes like these should be in quotes.
""",
    path="lib/kassa/report.rb",
    name="Kassa::Report#to_csv",
    first='def to_csv(separator: ",")',
    last="    end",
    decoys=("lib/kassa/spreadsheet.rb", "lib/kassa/treasurer.rb", "lib/kassa/bank_import.rb"),
    never=("spec/report_spec.rb", "vendor/bundle/csv.rb", "public/club.min.js"),
)
