// Outlines: the definitions of a file, and the one that a line lies in, in each language.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOutline } from '../src/outline.ts';

function names(path: string, text: string): string[] {
  return readOutline(path, text).map((symbol) => `${symbol.line} ${symbol.kind} ${symbol.name}`);
}

describe('the outline', () => {
  it('of TypeScript', () => {
    const text = `/* class Commented {} */
import x from 'x';
export const LIMIT = 3;
export type Shape<T> = { a: T };
export interface Store { get(id: string): void; }
export default class Cart extends Base {
  #items = [];
  constructor(private readonly db: Db) {
    super();
  }
  static async load<T>(id: string): Promise<T> {
    if (id) { return find(id); }
    for (const a of b) { call(a); }
  }
  async total(
    prices: number[],
  ): Promise<number> {
    return sum(prices.map((p) => { return p; }));
  }
  handle = async (event) => {
    this.total([]);
  };
}
export async function main({ a = 1 }: Options) {
  describe('x', () => {
    go();
  });
}
export const pick = (a: string): string => a;
const later = async <T>(
  a: T,
) => {};
enum Kind { A }
`;
    expect(names('src/a.ts', text)).toEqual([
      '3 constant LIMIT',
      '4 type Shape',
      '5 interface Store',
      '6 class Cart',
      '8 function constructor',
      '11 function load',
      '15 function total',
      '20 function handle',
      '24 function main',
      '29 function pick',
      '30 function later',
      '33 type Kind',
    ]);
  });

  it('of Python', () => {
    const text = `"""
class NotOne:
"""
TIMEOUT = 3
class Session(Base):
    """One line."""
    def get(self, url):
        def inner():
            pass
    async def post(
        self, url
    ):
        return 1
# def commented():
`;
    expect(names('a.py', text)).toEqual([
      '4 constant TIMEOUT',
      '5 class Session',
      '7 function get',
      '8 function inner',
      '10 function post',
    ]);
  });

  it('of Java and Kotlin', () => {
    const java = `package a;
public final class Shop<T> implements Base {
  private static final int MAX_SIZE = 3;
  @Override
  public List<Map<String, T>> find(String a, int b) throws IOException {
    if (a == null) {
      return call(a);
    }
    new Thread(() -> {
    }).start();
  }
  Shop(
      int a,
      int b) {
  }
  interface Inner {}
  enum Kind { A }
  record Point(int x) {}
}
`;
    expect(names('Shop.java', java)).toEqual([
      '2 class Shop',
      '3 constant MAX_SIZE',
      '5 function find',
      '12 function Shop',
      '16 interface Inner',
      '17 class Kind',
      '18 class Point',
    ]);
    const kotlin = `data class User(val name: String)
object Registry {
  private suspend fun <T> List<T>.load(id: Int): T = get(id)
  fun \`says hello\`() {}
}
const val LIMIT = 3
`;
    expect(names('a.kt', kotlin)).toEqual([
      '1 class User',
      '2 class Registry',
      '3 function load',
      '4 function says hello',
      '6 constant LIMIT',
    ]);
  });

  it('of Go and Rust', () => {
    const go = `package main
type Server struct {
}
type Store interface {
}
type ID string
func (s *Server) Run(ctx context.Context) error {
}
func main() {
}
var Version = "1"
`;
    expect(names('a.go', go)).toEqual([
      '2 class Server',
      '4 interface Store',
      '6 type ID',
      '7 function Run',
      '9 function main',
      '11 constant Version',
    ]);
    const rust = `pub struct Parser<'a> {
}
impl<'a> Parser<'a> {
    pub(crate) async fn parse(&self) -> Result<()> {
    }
}
impl fmt::Display for Parser<'_> {
}
pub trait Visit {
    fn visit(&self);
}
const MAX: usize = 3;
mod tests {
}
macro_rules! check { }
`;
    expect(names('a.rs', rust)).toEqual([
      '1 class Parser',
      '3 class Parser',
      '4 function parse',
      '7 class Parser',
      '9 interface Visit',
      '10 function visit',
      '12 constant MAX',
      '13 module tests',
      '15 function check',
    ]);
  });

  it('of C#, Ruby, PHP and C++', () => {
    const sharp = `namespace Acme.Shop;
public sealed class Cart : Base
{
    private const int Max = 3;
    public Cart(int a) : base(a)
    {
    }
    public async Task<List<int>> Load(string id)
    {
        if (id == null)
        {
            Call(id);
        }
    }
    public int Total() => 1;
    public string Name { get; set; }
}
`;
    expect(names('a.cs', sharp)).toEqual([
      '1 module Acme.Shop',
      '2 class Cart',
      '4 constant Max',
      '5 function Cart',
      '8 function Load',
      '15 function Total',
      '16 function Name',
    ]);
    const ruby = `module Shop
  class Cart < Base
    LIMIT = 3
    def total(a)
    end
    def self.load?
    end
=begin
def no
=end
`;
    expect(names('a.rb', ruby)).toEqual([
      '1 module Shop',
      '2 class Cart',
      '3 constant LIMIT',
      '4 function total',
      '6 function load?',
    ]);
    const php = `<?php
namespace Acme\\Shop;
final class Cart {
  const MAX = 3;
  public static function load(string $id): self {
    foreach ($a as $b) { call($b); }
  }
}
function helper() {}
`;
    expect(names('a.php', php)).toEqual([
      '2 module Acme\\Shop',
      '3 class Cart',
      '4 constant MAX',
      '5 function load',
      '9 function helper',
    ]);
    const cpp = `#define MAX 3
namespace acme {
class Cart : public Base {
 public:
  int total(int a) const {
    while (a) { call(a); }
  }
  void later();
};
}
static const char *Cart::name(const std::vector<int> &a,
                              int b)
{
  return call(a, b);
}
Cart::~Cart() {
}
typedef unsigned long size;
`;
    expect(names('a.cc', cpp)).toEqual([
      '1 constant MAX',
      '2 module acme',
      '3 class Cart',
      '5 function total',
      '11 function Cart::name',
      '16 function Cart::~Cart',
      '18 type size',
    ]);
  });

  it('of Swift, Dart and Elixir', () => {
    const swift = `import Foundation

@objc public final class Cart: NSObject {
  class func empty() -> Cart { Cart() }
  public init?(items: [Item]) {
    super.init()
  }
  private func total(of items: [Item]) throws -> Int where Item: Priced {
    items.reduce(0) { $0 + $1.price }
  }
}
extension Cart: Codable {
  static func == (lhs: Cart, rhs: Cart) -> Bool { true }
}
protocol Priced { var price: Int { get } }
enum Kind { case apple }
`;
    expect(names('Cart.swift', swift)).toEqual([
      '3 class Cart',
      '4 function empty',
      '5 function init',
      '8 function total',
      '12 class Cart',
      '13 function ==',
      '15 interface Priced',
      '16 class Kind',
    ]);
    const dart = `import 'dart:async';

abstract class Cart extends Base {
  final List<Item> items;
  const Cart(this.items);
  factory Cart.empty() {
    return Cart([]);
  }
  int get count => items.length;
  @override
  Future<int> total(String currency,
      {bool rounded = false}) async {
    for (final item in items) {
      print(item);
    }
    return sum(items);
  }
  int sum(List<Item> all) => all.fold(0, (a, b) => a + b.price);
}
mixin Priced on Item {}
void main() {
  run(() {
    start();
  });
}
`;
    expect(names('cart.dart', dart)).toEqual([
      '3 class Cart',
      '6 function Cart.empty',
      '9 function count',
      '11 function total',
      '18 function sum',
      '20 class Priced',
      '21 function main',
    ]);
    const elixir = `defmodule Shop.Cart do
  @moduledoc """
  def no
  """
  defstruct items: []

  def total(%{items: []}), do: 0

  def total(%{items: items}) do
    Enum.sum(items)
  end

  defp price!(item), do: item.price
  defmacro is_empty(cart) do
    quote do: unquote(cart).items == []
  end
end
`;
    expect(names('lib/shop/cart.ex', elixir)).toEqual([
      '1 module Shop.Cart',
      '7 function total',
      '9 function total',
      '13 function price!',
      '14 function is_empty',
    ]);
  });

  it('of an unknown kind of file is empty, and any text has one', () => {
    expect(readOutline('README', 'class A {}')).toEqual([]);
    expect(readOutline('a.constructor', 'class A {}')).toEqual([]);
    const paths = [
      'a.ts',
      'a.py',
      'a.java',
      'a.go',
      'a.rs',
      'a.cs',
      'a.rb',
      'a.php',
      'a.cpp',
      'a.swift',
      'a.dart',
      'a.ex',
    ];
    const piece = fc.constantFrom(
      '(',
      ')',
      '{',
      '}',
      'a ',
      'public ',
      '<',
      '>',
      '=',
      '::',
      '"',
      '/*',
      '*/',
      '\n',
      ' ',
      ',',
    );
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.array(piece, { maxLength: 400 }), (path, pieces) => {
        const text = pieces.join('');
        for (const symbol of readOutline(path, text)) {
          expect(text.split('\n')[symbol.line - 1]?.trim().startsWith(symbol.signature)).toBe(true);
        }
      }),
    );
  });

  it('of lines made to be slow is quick', () => {
    for (const path of ['a.ts', 'a.java', 'a.cs', 'a.cpp', 'a.kt', 'a.rs']) {
      for (const part of ['a ', '(', 'a<', '@a(', 'public ', 'a::', '* ', 'a.', '((a)', '<a>']) {
        readOutline(path, `  ${part.repeat(Math.floor(990 / part.length))}\n`.repeat(5));
      }
    }
  });
});
