"""A library's lending desk; the issue brings a Java stack trace with a cause."""

from languages.repository import Repository, files_of, minified

_ROOT = "src/main/java/org/example/desk"
_FILES = r"""
=== ROOT/Desk.java
package org.example.desk;

import org.example.desk.lending.LendingService;
import org.example.desk.catalogue.Catalogue;

public final class Desk {
    private final Catalogue catalogue = new Catalogue();
    private final LendingService lending = new LendingService(catalogue);

    public LendingService lending() {
        return lending;
    }

    public Catalogue catalogue() {
        return catalogue;
    }
}

=== ROOT/catalogue/Catalogue.java
package org.example.desk.catalogue;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

public class Catalogue {
    private final Map<String, Book> books = new HashMap<>();

    public void add(Book book) {
        books.put(book.isbn(), book);
    }

    public Optional<Book> find(String isbn) {
        return Optional.ofNullable(books.get(isbn));
    }

    public int size() {
        return books.size();
    }
}

=== ROOT/catalogue/Book.java
package org.example.desk.catalogue;

public record Book(String isbn, String title, String author, int year) {
    public boolean isOld() {
        return year < 1900;
    }
}

=== ROOT/catalogue/IsbnChecker.java
package org.example.desk.catalogue;

public final class IsbnChecker {
    private IsbnChecker() {
    }

    public static boolean isValid(String isbn) {
        int sum = 0;
        for (int at = 0; at < isbn.length(); at++) {
            sum += Character.digit(isbn.charAt(at), 10) * (at % 2 == 0 ? 1 : 3);
        }
        return isbn.length() == 13 && sum % 10 == 0;
    }
}

=== ROOT/people/Reader.java
package org.example.desk.people;

import java.time.LocalDate;

public class Reader {
    private final String card;
    private final String name;
    private final LocalDate joined;

    public Reader(String card, String name, LocalDate joined) {
        this.card = card;
        this.name = name;
        this.joined = joined;
    }

    public String card() {
        return card;
    }

    public String name() {
        return name;
    }

    public LocalDate joined() {
        return joined;
    }
}

=== ROOT/people/ReaderRegistry.java
package org.example.desk.people;

import java.util.Map;
import java.util.TreeMap;

public class ReaderRegistry {
    private final Map<String, Reader> readers = new TreeMap<>();

    public void register(Reader reader) {
        if (readers.putIfAbsent(reader.card(), reader) != null) {
            throw new IllegalStateException("card is taken: " + reader.card());
        }
    }

    public Reader byCard(String card) {
        return readers.get(card);
    }
}

=== ROOT/lending/Loan.java
package org.example.desk.lending;

import java.time.LocalDate;

public class Loan {
    private final String isbn;
    private final String card;
    private final LocalDate due;

    public Loan(String isbn, String card, LocalDate due) {
        this.isbn = isbn;
        this.card = card;
        this.due = due;
    }

    public String isbn() {
        return isbn;
    }

    public String card() {
        return card;
    }

    public LocalDate due() {
        return due;
    }
}

=== ROOT/lending/LendingService.java
package org.example.desk.lending;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.example.desk.catalogue.Catalogue;

/** Lends books to readers and takes returned books back. */
public class LendingService {
    private final Catalogue catalogue;
    private final List<Loan> loans = new ArrayList<>();
    private final WaitingList waiting = new WaitingList();

    public LendingService(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    /** A reader borrows a book; the loan is due in four weeks. */
    public Loan lend(String isbn, String card, LocalDate today) {
        catalogue.find(isbn).orElseThrow();
        Loan loan = new Loan(isbn, card, today.plusWeeks(4));
        loans.add(loan);
        return loan;
    }

    /** A returned book goes to the next reader who waits for the book, if a reader waits. */
    public void giveBack(Loan loan, LocalDate today) {
        loans.remove(loan);
        try {
            waiting.pop(loan.isbn());
        } catch (RuntimeException error) {
            throw new DeskException("cannot take back " + loan.isbn(), error);
        }
    }
}

=== ROOT/lending/WaitingList.java
package org.example.desk.lending;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

class WaitingList {
    private final Map<String, Deque<String>> queues = new HashMap<>();

    void push(String isbn, String card) {
        queues.computeIfAbsent(isbn, key -> new ArrayDeque<>()).addLast(card);
    }

    int length(String isbn) {
        Deque<String> queue = queues.get(isbn);
        return queue == null ? 0 : queue.size();
    }

    String pop(String isbn) {
        Deque<String> queue = queues.get(isbn);
        String card = queue.removeFirst();
        if (queue.isEmpty()) {
            queues.remove(isbn);
        }
        return card;
    }
}

=== ROOT/lending/DeskException.java
package org.example.desk.lending;

public class DeskException extends RuntimeException {
    public DeskException(String message, Throwable cause) {
        super(message, cause);
    }
}

=== ROOT/lending/Reminder.java
package org.example.desk.lending;

import java.time.LocalDate;
import java.util.List;

/** Reminds a reader of a borrowed book that was not returned to the desk, first after one day. */
public class Reminder {
    /** The letter for every borrowed book; what happens when another reader waits and wants the book is said, too. */
    public String letter(Loan loan, LocalDate today) {
        return "Please return the book " + loan.isbn() + " to the desk, it was due on " + loan.due();
    }

    /** The main list of late loans; a loan is removed when the book is given back, because nobody else cares. */
    public List<Loan> late(List<Loan> loans, LocalDate today) {
        return loans.stream().filter(loan -> isLate(loan, today)).toList();
    }

    public boolean isLate(Loan loan, LocalDate today) {
        return today.isAfter(loan.due());
    }
}

=== ROOT/desk/ReturnSlot.java
package org.example.desk.desk;

import org.example.desk.lending.LendingService;
import org.example.desk.lending.Loan;
import java.time.LocalDate;

/** The slot at the desk: a reader returns a borrowed book, the screen says whether another reader waits for it. */
public class ReturnSlot {
    private final LendingService lending;

    public ReturnSlot(LendingService lending) {
        this.lending = lending;
    }

    /** Take back a returned book of a loan; when nobody waits for it the book goes to the shelf. */
    public String returnBook(Loan loan) {
        lending.giveBack(loan, LocalDate.now());
        return "Thank you, the book is returned";
    }
}

=== ROOT/desk/DeskScreen.java
package org.example.desk.desk;

import java.util.List;
import org.example.desk.people.Reader;

/** What the screen of the desk shows when a reader borrowed or returned a book. */
public class DeskScreen {
    public String borrowed(Reader reader, String title) {
        return reader.name() + " borrowed the book " + title;
    }

    /** The screen goes red when a book cannot be taken back, green when another reader wants it or nobody waits. */
    public String returned(Reader reader, List<Reader> queue, String title) {
        return queue.isEmpty() ? "Returned, nobody waits" : "Returned, put the book on the shelf of reserved books";
    }
}

=== ROOT/fees/FeeTable.java
package org.example.desk.fees;

public class FeeTable {
    private static final int CENTS_PER_DAY = 20;
    private static final int MOST = 1000;

    public int cents(long daysLate) {
        return (int) Math.min(MOST, Math.max(0, daysLate) * CENTS_PER_DAY);
    }
}

=== ROOT/fees/Receipt.java
package org.example.desk.fees;

import java.util.Locale;

public record Receipt(String card, int cents) {
    public String text() {
        return String.format(Locale.ROOT, "%s: %.2f", card, cents / 100.0);
    }
}

=== ROOT/search/TitleIndex.java
package org.example.desk.search;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

public class TitleIndex {
    private final Map<String, Set<String>> words = new HashMap<>();

    public void index(String isbn, String title) {
        for (String word : title.toLowerCase().split("\\W+")) {
            words.computeIfAbsent(word, key -> new HashSet<>()).add(isbn);
        }
    }

    public Set<String> search(String word) {
        return words.getOrDefault(word.toLowerCase(), Set.of());
    }
}

=== src/test/java/org/example/desk/lending/WaitingListTest.java
package org.example.desk.lending;

class WaitingListTest {
    void returnedBookThatNobodyWaitsFor() {
        new WaitingList().pop("9783161484100");
    }
}

=== third_party/queue/Waiting.java
package queue;

/** A returned book nobody waits for. */
class Waiting {
    String pop(String book) {
        return book;
    }
}
"""

REPOSITORY = Repository(
    language="java",
    files=files_of(_FILES.replace("ROOT", _ROOT))
    | {"src/main/resources/static/desk.min.js": minified("book returned reader desk borrowed nobody waits")},
    issue="""Book cannot be returned at the desk

A reader returned a borrowed book at the desk and the screen went red. It happens with every book that nobody else
waits for; if another reader wants to borrow the book, it can be returned.

```
Exception in thread "main" org.example.desk.lending.DeskException: cannot take back 9783161484100
\tat org.example.desk.lending.LendingService.giveBack(LendingService.java:32)
\tat org.example.desk.desk.ReturnSlot.returnBook(ReturnSlot.java:17)
\tat org.example.kiosk.Main.main(Main.java:20)
Caused by: java.lang.NullPointerException: Cannot invoke "java.util.Deque.removeFirst()" because "queue" is null
\tat org.example.desk.lending.WaitingList.pop(WaitingList.java:22)
\tat org.example.desk.lending.LendingService.giveBack(LendingService.java:30)
\t... 2 more
```
""",
    path=f"{_ROOT}/lending/WaitingList.java",
    name="WaitingList.pop",
    first="String pop(String isbn) {",
    last="    }",
    decoys=(
        f"{_ROOT}/lending/LendingService.java",
        f"{_ROOT}/lending/Reminder.java",
        f"{_ROOT}/desk/ReturnSlot.java",
        f"{_ROOT}/desk/DeskScreen.java",
    ),
    never=(
        "src/test/java/org/example/desk/lending/WaitingListTest.java",
        "third_party/queue/Waiting.java",
        "src/main/resources/static/desk.min.js",
    ),
    within=2,  # the message of the outer exception speaks for the method that wraps the cause
)
