<?php
declare(strict_types=1);
namespace A\B;

use X\Y as Z;

/** A basket. */
#[Entity("x")]
abstract class Basket extends Base implements Countable
{
    use Helper;
    public const LIMIT = 10;
    private array $items = [];

    public function __construct(private readonly int $a, string $b = ")")
    {
        $this->items = [$b];
    }

    /** Total. */
    public static function total(int ...$x): ?int { return compute($x); }
    abstract public function run(): void;
}
function helper($x) {
    function nested() { return compute(1); }
    return $x;
}
$f = function ($x) use ($y): int { return $x + $y; };
enum Suit: string { case A = "a"; public function label(): string { return ucfirst($this->value); } }
