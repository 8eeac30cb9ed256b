"""A meter reading service; the issue brings a .NET stack trace with paths of Windows."""

from languages.repository import Repository, files_of, minified

_FILES = r"""
=== Meters.sln
Microsoft Visual Studio Solution File

=== src/Meters/Program.cs
using Meters.Api;
using Meters.Storage;

namespace Meters;

public static class Program
{
    public static void Main(string[] arguments)
    {
        var store = new ReadingStore(arguments.Length > 0 ? arguments[0] : "readings.db");
        new Server(store).Run(8080);
    }
}

=== src/Meters/Readings/Reading.cs
using System;

namespace Meters.Readings;

public sealed record Reading(string Meter, DateTime At, decimal Value)
{
    public bool IsAfter(Reading other) => At > other.At;
}

=== src/Meters/Readings/Meter.cs
namespace Meters.Readings;

public sealed class Meter
{
    public Meter(string number, int digits)
    {
        Number = number;
        Digits = digits;
    }

    public string Number { get; }

    public int Digits { get; }

    public decimal Overflow => (decimal)System.Math.Pow(10, Digits);
}

=== src/Meters/Readings/Consumption.cs
using System;
using System.Collections.Generic;
using System.Linq;

namespace Meters.Readings;

public sealed class Consumption
{
    private readonly List<Reading> _readings;

    public Consumption(IEnumerable<Reading> readings)
    {
        _readings = readings.OrderBy(reading => reading.At).ToList();
    }

    public decimal Total()
    {
        return _readings.Count == 0 ? 0 : _readings[^1].Value - _readings[0].Value;
    }

    public decimal PerDay(DateTime from, DateTime until)
    {
        var inside = _readings.Where(reading => reading.At >= from && reading.At < until).ToList();
        var first = inside.First();
        var last = inside.Last();
        var days = (decimal)(last.At - first.At).TotalDays;
        return (last.Value - first.Value) / days;
    }

    public IEnumerable<decimal> Steps()
    {
        return _readings.Zip(_readings.Skip(1), (before, after) => after.Value - before.Value);
    }
}

=== src/Meters/Billing/Tariff.cs
namespace Meters.Billing;

public sealed class Tariff
{
    public decimal BasePrice { get; init; } = 9.5m;

    public decimal UnitPrice { get; init; } = 0.31m;

    public decimal Cost(decimal units)
    {
        return BasePrice + units * UnitPrice;
    }
}

=== src/Meters/Billing/Invoice.cs
// What a tenant pays for a month, at whose end somebody read the meter of the flat.
using System;
using Meters.Readings;

namespace Meters.Billing;

/// <summary>The monthly invoice of a tenant.</summary>
public sealed class Invoice
{
    private readonly Tariff _tariff;

    public Invoice(Tariff tariff)
    {
        _tariff = tariff;
    }

    /// <summary>What is to be paid.</summary>
    public decimal Monthly(Consumption consumption, DateTime month)
    {
        var until = month.AddMonths(1);
        return _tariff.Cost(consumption.PerDay(month, until) * (decimal)(until - month).TotalDays);
    }
}

=== src/Meters/Billing/Tenant.cs
// Nobody reads the meter of an empty flat, nobody moved in yet.
using System;

namespace Meters.Billing;

/// <summary>A tenant of a flat; one who moved out in a month gets the last invoice for it.</summary>
public sealed class Tenant
{
    public string Name { get; init; } = "";

    public DateTime? MovedOut { get; init; }

    /// <summary>Whether it is empty.</summary>
    public bool IsGone(DateTime month)
    {
        return MovedOut is { } day && day < month;
    }
}

=== src/Meters/Billing/InvoiceRun.cs
using System;
using System.Collections.Generic;
using Meters.Readings;

namespace Meters.Billing;

/// <summary>Makes the monthly invoice of each tenant: at the end of a month nobody is left out.</summary>
public sealed class InvoiceRun
{
    private readonly Invoice _invoice = new(new Tariff());

    /// <summary>One after another; an exception in the invoice of one tenant ends it for all tenants.</summary>
    public List<decimal> Run(IReadOnlyDictionary<Tenant, Consumption> tenants, DateTime month)
    {
        var sums = new List<decimal>();
        foreach (var (tenant, consumption) in tenants)
        {
            sums.Add(_invoice.Monthly(consumption, month));
        }
        return sums;
    }
}

=== src/Meters/Billing/Letter.cs
using System;

namespace Meters.Billing;

/// <summary>The letter with the invoice of a month.</summary>
public static class Letter
{
    /// <summary>A tenant with no reading, as the flat was empty all month, is told to read the meter.</summary>
    public static string For(Tenant tenant, decimal sum, DateTime month)
    {
        return $"Dear {tenant.Name}, your invoice for the month {month:yyyy-MM} is {sum:0.00}";
    }
}

=== src/Meters/Storage/ReadingStore.cs
using System.Collections.Generic;
using System.Linq;
using Meters.Readings;

namespace Meters.Storage;

public sealed class ReadingStore
{
    private readonly List<Reading> _rows = new();

    public ReadingStore(string path)
    {
        Path = path;
    }

    public string Path { get; }

    public void Add(Reading reading) => _rows.Add(reading);

    public IEnumerable<Reading> Of(string meter) => _rows.Where(row => row.Meter == meter);
}

=== src/Meters/Storage/Backup.cs
using System.IO;

namespace Meters.Storage;

public static class Backup
{
    public static string Copy(ReadingStore store, string folder)
    {
        var target = Path.Combine(folder, Path.GetFileName(store.Path));
        File.Copy(store.Path, target, overwrite: true);
        return target;
    }
}

=== src/Meters/Api/Server.cs
using System.Net;
using Meters.Storage;

namespace Meters.Api;

public sealed class Server
{
    private readonly ReadingStore _store;

    public Server(ReadingStore store)
    {
        _store = store;
    }

    public void Run(int port)
    {
        var listener = new HttpListener();
        listener.Prefixes.Add($"http://localhost:{port}/");
        listener.Start();
        while (true)
        {
            new Handler(_store).Handle(listener.GetContext());
        }
    }
}

=== src/Meters/Api/Handler.cs
using System.Linq;
using System.Net;
using System.Text;
using Meters.Storage;

namespace Meters.Api;

public sealed class Handler
{
    private readonly ReadingStore _store;

    public Handler(ReadingStore store)
    {
        _store = store;
    }

    public void Handle(HttpListenerContext context)
    {
        var meter = context.Request.Url!.AbsolutePath.Trim('/');
        var text = string.Join("\n", _store.Of(meter).Select(reading => reading.Value));
        context.Response.Close(Encoding.UTF8.GetBytes(text), false);
    }
}

=== src/Meters/Devices/Radio.cs
using System;

namespace Meters.Devices;

public sealed class Radio
{
    public event Action<byte[]>? Received;

    public void Push(byte[] telegram)
    {
        if (telegram.Length > 4) Received?.Invoke(telegram);
    }
}

=== src/Meters/Devices/Telegram.cs
using System;
using Meters.Readings;

namespace Meters.Devices;

public static class Telegram
{
    public static Reading Decode(byte[] bytes, DateTime now)
    {
        var value = BitConverter.ToInt32(bytes, 1) / 1000m;
        return new Reading(bytes[0].ToString("x2"), now, value);
    }
}

=== tests/Meters.Tests/ConsumptionTests.cs
public class ConsumptionTests
{
    public void TenantOfAnEmptyFlatWithoutReadingInTheMonthGetsAnInvoice() => new Consumption([]).PerDay(a, b);
}

=== third_party/Billing/Consumption.cs
/// The invoice of a tenant whose flat was empty for a month: sequence contains no elements
public class Consumption { public decimal PerDay(object tenant, object month) => 0; }
"""

REPOSITORY = Repository(
    language="csharp",
    files=files_of(_FILES)
    | {"wwwroot/billing.min.js": minified("tenant invoice month flat empty meter exception reading")},
    issue="""Exception for a flat that was empty in a month

Nobody gets a monthly invoice any more as soon as one tenant moved out and nobody read the meter of the flat at the end
of the whole month:

```
Unhandled exception. System.InvalidOperationException: Sequence contains no elements
   at System.Linq.ThrowHelper.ThrowNoElementsException()
   at System.Linq.Enumerable.First[TSource](IEnumerable`1 source)
   at Meters.Readings.Consumption.PerDay(DateTime from, DateTime until) in C:\\Readings\\Consumption.cs:line 24
   at Acme.Portal.Statement.Show() in C:\\acme\\Portal\\Statement.cs:line 61
```

Expected: a consumption of 0 for each day.
""",
    path="src/Meters/Readings/Consumption.cs",
    name="Consumption.PerDay",
    first="public decimal PerDay(DateTime from, DateTime until)",
    last="    }",
    decoys=("src/Meters/Billing/Invoice.cs", "src/Meters/Billing/Tenant.cs", "src/Meters/Billing/InvoiceRun.cs"),
    never=("tests/Meters.Tests/ConsumptionTests.cs", "third_party/Billing/Consumption.cs", "wwwroot/billing.min.js"),
)
