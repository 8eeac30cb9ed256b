<?php
namespace App\Models;

use App\Base as B, App\Other;
use App\{One, Two as Zwei};
require_once __DIR__ . '/helpers.php';

/**
 * A user.
 */
#[Entity]
abstract class User extends \App\Base implements Named, Countable
{
    use SoftDeletes;

    // Makes one.
    #[Inject]
    public function __construct(private string $name)
    {
        parent::__construct();
        $this->log->info("made {$this->name()}");
    }

    abstract protected function name(): string;

    public static function find(int $id): ?self
    {
        throw new \RuntimeException('no');
    }
}

interface Named { public function name(): string; }
trait Loud { function shout() {} }
enum Level: string implements Named { case A = 'a'; function label() {} }

function helper()
{
    return new Query\Builder(1);
}
