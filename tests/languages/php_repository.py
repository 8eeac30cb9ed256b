"""A shop's mail; the issue names a file and a line."""

from languages.repository import Repository, files_of, minified

_FILES = r"""
=== composer.json
{"name": "example/shop", "autoload": {"psr-4": {"Shop\\": "src/"}}}

=== src/Kernel.php
<?php

namespace Shop;

use Shop\Mail\Mailer;
use Shop\Orders\OrderService;

final class Kernel
{
    public function orders(): OrderService
    {
        return new OrderService(new Mailer('shop@example.org'));
    }
}

=== src/Mail/Mailer.php
<?php

namespace Shop\Mail;

class Mailer
{
    public function __construct(private string $from)
    {
    }

    public function send(Message $message): bool
    {
        $headers = 'From: ' . $this->from . "\r\n" . $message->headers();
        return mail($message->to(), $message->subject(), $message->body(), $headers);
    }
}

=== src/Mail/Message.php
<?php

namespace Shop\Mail;

class Message
{
    private array $headers = [];

    public function __construct(private string $to, private string $subject, private string $body)
    {
    }

    public function with(string $name, string $value): self
    {
        $this->headers[$name] = $value;
        return $this;
    }

    public function headers(): string
    {
        return implode("\r\n", array_map(fn ($n, $v) => "$n: $v", array_keys($this->headers), $this->headers));
    }

    public function to(): string
    {
        return $this->to;
    }

    public function subject(): string
    {
        return Encoder::word($this->subject);
    }

    public function body(): string
    {
        return wordwrap($this->body, 76, "\r\n");
    }
}

=== src/Mail/Encoder.php
<?php

namespace Shop\Mail;

final class Encoder
{
    private const LIMIT = 75;

    public static function isPlain(string $text): bool
    {
        return !preg_match('/[^\x20-\x7e]/', $text);
    }

    public static function word(string $text): string
    {
        if (self::isPlain($text)) {
            return $text;
        }
        $words = [];
        foreach (str_split($text, 45) as $part) {
            $words[] = '=?UTF-8?B?' . base64_encode($part) . '?=';
        }
        return implode("\r\n ", $words);
    }

    public static function fold(string $header): string
    {
        return wordwrap($header, self::LIMIT, "\r\n ");
    }
}

=== src/Mail/Address.php
<?php

namespace Shop\Mail;

final class Address
{
    public static function isValid(string $address): bool
    {
        return filter_var($address, FILTER_VALIDATE_EMAIL) !== false;
    }

    public static function format(string $name, string $address): string
    {
        return sprintf('"%s" <%s>', addslashes($name), $address);
    }
}

=== src/Orders/Order.php
<?php

namespace Shop\Orders;

final class Order
{
    public function __construct(public readonly int $number, public readonly string $email, public array $lines = [])
    {
    }

    public function total(): int
    {
        return array_sum(array_map(fn (Line $line) => $line->cents(), $this->lines));
    }
}

=== src/Orders/Line.php
<?php

namespace Shop\Orders;

final class Line
{
    public function __construct(private string $article, private int $count, private int $price)
    {
    }

    public function cents(): int
    {
        return $this->count * $this->price;
    }
}

=== src/Orders/OrderService.php
<?php

namespace Shop\Orders;

use Shop\Mail\Mailer;
use Shop\Mail\Message;

class OrderService
{
    public function __construct(private Mailer $mailer)
    {
    }

    public function confirm(Order $order): bool
    {
        $subject = 'Your order ' . $order->number;
        return $this->mailer->send(new Message($order->email, $subject, 'Thank you'));
    }
}

=== src/Japan/JapaneseNotice.php
<?php

namespace Shop\Japan;

use Shop\Mail\Message;

/** Notices to Japanese customers; some have a mail program that shows a question mark in place of a character. */
class JapaneseNotice
{
    /** The subject is long. */
    public function shipped(string $email, string $article): Message
    {
        return new Message($email, "ご注文の商品「{$article}」を発送しました", 'ありがとうございます');
    }

    /** In English. */
    public function plain(string $email): Message
    {
        return new Message($email, 'Your order was shipped', 'Thank you');
    }
}

=== src/Japan/Script.php
<?php

namespace Shop\Japan;

/** Japanese characters: whether a long subject has one that a mail program shows as a question mark. */
class Script
{
    /** Whether there is one. */
    public function hasJapanese(string $subject): bool
    {
        return preg_match('/[\x{3040}-\x{30ff}]/u', $subject) === 1;
    }

    /** Cut in the middle, never inside of one. */
    public function shorten(string $text, int $most): string
    {
        return mb_substr($text, 0, $most, 'UTF-8');
    }
}

=== src/Customers/CustomerMail.php
<?php

namespace Shop\Customers;

use Shop\Mail\Message;

/** Mails to all customers: the subject is written by the shop, and a long subject shows how it is cut. */
class CustomerMail
{
    /** Ask a customer with a Japanese mail program whether the characters of our mails are fine, with two questions. */
    public function survey(string $email): Message
    {
        return new Message($email, 'Two questions', 'Do you see all characters of our mails?');
    }
}

=== src/Customers/Customer.php
<?php

namespace Shop\Customers;

final class Customer
{
    public function __construct(public readonly string $name, public readonly string $email, public string $country)
    {
    }

    public function isAbroad(string $home): bool
    {
        return $this->country !== $home;
    }
}

=== src/Stock/Shelf.php
<?php

namespace Shop\Stock;

final class Shelf
{
    private array $counts = [];

    public function put(string $article, int $count): void
    {
        $this->counts[$article] = ($this->counts[$article] ?? 0) + $count;
    }

    public function take(string $article): bool
    {
        if (($this->counts[$article] ?? 0) < 1) {
            return false;
        }
        $this->counts[$article]--;
        return true;
    }
}

=== src/Stock/Supplier.php
<?php

namespace Shop\Stock;

interface Supplier
{
    public function order(string $article, int $count): string;
}

=== src/Http/Router.php
<?php

namespace Shop\Http;

class Router
{
    private array $routes = [];

    public function add(string $path, callable $action): void
    {
        $this->routes[$path] = $action;
    }

    public function dispatch(string $path): string
    {
        $action = $this->routes[$path] ?? fn () => 'not found';
        return $action();
    }
}

=== tests/Mail/EncoderTest.php
<?php

class EncoderTest extends TestCase
{
    public function testLongJapaneseSubjectOfMailHasNoQuestionMarkInsteadOfCharacters(): void
    {
        $this->assertSame('ご注文', mb_decode_mimeheader(Encoder::word('ご注文')));
    }
}

=== vendor/mime/Encoder.php
<?php

/** The subject of a mail with Japanese characters: no question mark in the middle */
class Encoder { static function word($subject) { return $subject; } }
"""

REPOSITORY = Repository(
    language="php",
    files=files_of(_FILES)
    | {"public/shop.min.js": minified("customers mail subject Japanese characters question mark")},
    issue="""Long Japanese text: question marks in place of characters

Customers with a Japanese mail program see a black question mark in the middle of a subject. Our texts are UTF-8. I
think the text is split between the bytes of a character, and the encoded words decode to nothing there; somewhere near
src/Mail/Encoder.php:20 (release 2.3).
""",
    path="src/Mail/Encoder.php",
    name="Encoder::word",
    first="public static function word(string $text): string",
    last="    }",
    decoys=("src/Japan/JapaneseNotice.php", "src/Japan/Script.php", "src/Customers/CustomerMail.php"),
    never=("tests/Mail/EncoderTest.php", "vendor/mime/Encoder.php", "public/shop.min.js"),
)
