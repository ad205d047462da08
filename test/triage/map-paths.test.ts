// Paths as traces write them lead to the right file of the tree, or say why not.
import { describe, expect, it } from 'vitest';
import type { OwnPackage } from '../../src/triage/paths.ts';
import { createPathIndex, type Ground, mapFrame, mapPath } from '../../src/triage/paths.ts';
import type { Frame } from '../../src/triage/traces/frame.ts';

function ground(paths: readonly string[], packages: readonly OwnPackage[] = []): Ground {
  const entries = paths.map((path) => ({ path, size: 1, kind: 'file' as const, blob: path }));
  return { index: createPathIndex({ entries, unreadableNames: 0 }), packages };
}

function leadsTo(tree: Ground, path: string): string {
  const mapping = mapPath(tree, path);
  switch (mapping.kind) {
    case 'own':
      return mapping.path;
    case 'ambiguous':
      return `one of ${mapping.paths.join(' ')}`;
    case 'dependency':
      return `dependency ${mapping.of}`;
    case 'runtime':
    case 'unknown':
      return mapping.kind;
  }
}

describe('JavaScript and TypeScript', () => {
  const tree = ground(
    [
      'src/http/header.ts',
      'src/main.ts',
      'packages/core/src/store.ts',
      'packages/ui/src/store.tsx',
      'web/app/page.tsx',
      'vendor/x/lib/y.js',
    ],
    [
      { name: 'shop', kind: 'npm', folder: '' },
      { name: '@shop/core', kind: 'npm', folder: 'packages/core' },
    ],
  );
  it.each([
    ['/srv/app/dist/http/header.js', 'src/http/header.ts'],
    ['/srv/app/build/http/header.js', 'src/http/header.ts'],
    ['file:///srv/app/src/http/header.ts', 'src/http/header.ts'],
    ['C:\\code\\app\\src\\http\\header.ts', 'src/http/header.ts'],
    ['file:///C:/code/app/src/http/header.ts', 'src/http/header.ts'],
    ['webpack:///./src/main.ts', 'src/main.ts'],
    ['webpack-internal:///(rsc)/./web/app/page.tsx?1a2b', 'web/app/page.tsx'],
    ['http://localhost:5173/src/main.ts?t=17', 'src/main.ts'],
    ['./src/main.ts', 'src/main.ts'],
    ['/x/node_modules/shop/dist/http/header.js', 'src/http/header.ts'],
    ['/x/node_modules/@shop/core/dist/store.js', 'packages/core/src/store.ts'],
    ['/x/node_modules/left-pad/src/main.ts', 'dependency left-pad'],
    ['/x/node_modules/@other/core/dist/store.js', 'dependency @other/core'],
    ['node:internal/process/task_queues', 'runtime'],
    ['/srv/app/src/nowhere.ts', 'unknown'],
  ])('%s', (path, expected) => {
    expect(leadsTo(tree, path)).toBe(expected);
  });

  it('does not trust lines of compiled files', () => {
    expect(mapPath(tree, '/srv/app/dist/http/header.js')).toMatchObject({ compiled: true, certain: false });
    expect(mapPath(tree, '/srv/app/src/http/header.ts')).toMatchObject({ compiled: false, certain: true });
  });

  it('says that a path fits several files', () => {
    expect(leadsTo(ground(['a/src/index.ts', 'b/src/index.ts']), '/srv/c/src/index.ts')).toBe(
      'one of a/src/index.ts b/src/index.ts',
    );
  });

  it('is not certain where only the file name agrees', () => {
    expect(mapPath(ground(['src/_core/logging.py']), '/home/me/bot/logging.py')).toMatchObject({
      kind: 'own',
      certain: false,
    });
  });
});

describe('Python', () => {
  const tree = ground(['shop/db/models.py', 'shop/json/decoder.py', 'src/cart/total.py'], []);
  it.each([
    ['/usr/lib/python3.12/site-packages/shop/db/models.py', 'shop/db/models.py'],
    ['/venv/lib/python3.12/site-packages/cart/total.py', 'src/cart/total.py'],
    ['/venv/lib/python3.12/site-packages/peewee/db/models.py', 'dependency peewee'],
    ['/usr/lib/python3.12/json/decoder.py', 'runtime'],
    ['shop/db/models.py', 'shop/db/models.py'],
    ['/x/lib/python2.7/site-packages/shop-2.3.0-py2.7.egg/shop/db/models.py', 'shop/db/models.py'],
    ['/x/lib/python2.7/site-packages/shop-2.3.0-py2.7.egg/cart/total.py', 'src/cart/total.py'],
    ['/opt/eggs/shop-2.3.0-py3.6-linux-x86_64.egg/cart/total.py', 'src/cart/total.py'],
    ['C:\\Python27\\lib\\site-packages\\shop-2.3.0-py2.7.egg\\cart\\total.py', 'src/cart/total.py'],
    ['/x/site-packages/shop.egg-link/cart/total.py', 'src/cart/total.py'],
    ['/tmp/shop-2.3.0-py3-none-any.whl/cart/total.py', 'src/cart/total.py'],
    ['build/bdist.linux-x86_64/egg/cart/total.py', 'src/cart/total.py'],
    ['/x/site-packages/gevent-1.0.1-py2.7-linux-x86_64.egg/gevent/total.py', 'dependency gevent'],
    ['/x/site-packages/shop-2.3.0.dist-info/models.py', 'dependency shop'],
  ])('%s', (path, expected) => {
    expect(leadsTo(tree, path)).toBe(expected);
  });
});

describe('Go', () => {
  const tree = ground(
    ['go.mod', 'cart/cart.go', 'internal/dns/resolver.go', 'main.go'],
    [{ name: 'example.com/acme/shop', kind: 'go', folder: '' }],
  );
  it.each([
    ['/home/ci/shop/cart/cart.go', 'cart/cart.go'],
    ['example.com/acme/shop/cart/cart.go', 'cart/cart.go'],
    ['/root/go/pkg/mod/example.com/acme/shop@v1.2.3/cart/cart.go', 'cart/cart.go'],
    ['/root/go/pkg/mod/example.com/other/cart@v1.0.0/cart/cart.go', 'dependency example.com/other/cart'],
    ['/usr/local/go/src/runtime/panic.go', 'runtime'],
    ['internal/dns/resolver.go', 'internal/dns/resolver.go'],
  ])('%s', (path, expected) => {
    expect(leadsTo(tree, path)).toBe(expected);
  });
});

describe('Rust', () => {
  const tree = ground(
    ['src/parse/parser.rs', 'derive/src/lib.rs', 'src/lib.rs'],
    [
      { name: 'shop', kind: 'cargo', folder: '' },
      { name: 'shop-derive', kind: 'cargo', folder: 'derive' },
    ],
  );
  it.each([
    ['/home/me/.cargo/registry/src/index.example-1ecc6299db9ec823/shop-derive-2.0.1/src/lib.rs', 'derive/src/lib.rs'],
    ['/home/me/.cargo/registry/src/index.example-1ecc6299db9ec823/serde-1.0.1/src/lib.rs', 'dependency serde'],
    ['/rustc/90c541806f23a127002de5b4038be731ba1458ca/library/core/src/panicking.rs', 'runtime'],
    ['./src/parse/parser.rs', 'src/parse/parser.rs'],
  ])('%s', (path, expected) => {
    expect(leadsTo(tree, path)).toBe(expected);
  });

  it('maps a function path where there is no file', () => {
    const frame: Frame = {
      language: 'rust',
      file: '',
      line: 0,
      function: 'parse',
      symbol: 'shop::parse::parser::Parser::parse',
      code: '',
    };
    expect(mapFrame(tree, frame)).toMatchObject({ kind: 'own', path: 'src/parse/parser.rs' });
  });
});

describe('classes of the JVM and of .NET', () => {
  const jvm = (symbol: string, file: string): Frame => ({
    language: 'jvm',
    file,
    line: 1,
    function: 'f',
    symbol,
    code: '',
  });
  const tree = ground([
    'app/src/main/java/com/acme/util/Strings.java',
    'app/src/main/java/com/acme/net/Strings.java',
    'core/src/main/kotlin/cart/Total.kt',
    'src/Shop/Prices.cs',
  ]);

  it('are found by package and file', () => {
    expect(mapFrame(tree, jvm('com.acme.net.Strings$Inner', 'Strings.java'))).toMatchObject({
      kind: 'own',
      path: 'app/src/main/java/com/acme/net/Strings.java',
    });
    expect(mapFrame(tree, jvm('com.acme.shop.cart.TotalKt', 'Total.kt'))).toMatchObject({
      path: 'core/src/main/kotlin/cart/Total.kt',
    });
    const csharp: Frame = {
      language: 'csharp',
      file: '',
      line: 0,
      function: 'Load',
      symbol: 'Acme.Shop.Prices',
      code: '',
    };
    expect(mapFrame(tree, csharp)).toMatchObject({ kind: 'own', path: 'src/Shop/Prices.cs' });
  });

  it('of others are not own, even where a file has the same name', () => {
    expect(mapFrame(tree, jvm('org.other.util.Strings', 'Strings.java'))).toEqual({ kind: 'unknown' });
    expect(mapFrame(tree, jvm('java.util.Optional', 'Optional.java'))).toEqual({ kind: 'runtime' });
  });
});

describe('packages of other languages', () => {
  const frame = (part: Partial<Frame>): Frame => ({
    language: 'any',
    file: '',
    line: 1,
    function: '',
    symbol: '',
    code: '',
    ...part,
  });
  const tree = ground(
    [
      'lib/shop/cart.rb',
      'lib/shop/prices.ex',
      'apps/web/lib/web/cart_live.ex',
      'lib/src/cart.dart',
      'src/Client.php',
      'src/Cart/Total.php',
      'Sources/Shop/Cart.swift',
      'src/commonMain/kotlin/shop/Cart.kt',
      'src/cart.c',
      'vendor/acme/log/src/Log.php',
    ],
    [
      { name: 'acme/shop', kind: 'composer', folder: '' },
      { name: 'shop', kind: 'dart', folder: '' },
    ],
  );

  it.each([
    ['/usr/lib/ruby/gems/3.3.0/gems/shop-1.2.0/lib/shop/cart.rb', 'lib/shop/cart.rb'],
    ['/home/me/.rvm/gems/ruby-2.6.5/gems/rake-13.0.6/lib/rake/task.rb', 'dependency rake'],
    ['/home/me/.gem/ruby/2.7.6/bundler/gems/shop-a5de777eb80f/lib/shop/cart.rb', 'lib/shop/cart.rb'],
    ['/usr/lib/ruby/3.3.0/json/common.rb', 'runtime'],
    ['/var/www/html/src/Cart/Total.php', 'src/Cart/Total.php'],
    ['/var/www/html/vendor/acme/shop/src/Client.php', 'src/Client.php'],
    ['/var/www/html/vendor/guzzle/http/src/Client.php', 'dependency guzzle/http'],
    ['/var/www/html/vendor/acme/log/src/Log.php', 'vendor/acme/log/src/Log.php'],
    ['package:shop/src/cart.dart', 'lib/src/cart.dart'],
    ['package:shop/…/src/cart.dart', 'lib/src/cart.dart'],
    ['package:flutter/src/cart.dart', 'dependency flutter'],
    ['/home/me/.pub-cache/hosted/pub.dev/http-1.2.0/lib/src/cart.dart', 'dependency http'],
    ['dart:core-patch/growable_array.dart', 'runtime'],
    ['/app/deps/ecto/lib/ecto/repo.ex', 'dependency ecto'],
    ['/src/x/.build/checkouts/swift-nio/Sources/NIO/Channel.swift', 'dependency swift-nio'],
    ['Cart.swift', 'Sources/Shop/Cart.swift'],
    ['/usr/include/c++/13/bits/stl_vector.h', 'runtime'],
    ['/build/shop/_deps/fmt-src/include/fmt/core.h', 'dependency fmt'],
    ['/home/ci/shop/src/cart.c', 'src/cart.c'],
  ])('%s', (path, expected) => {
    expect(leadsTo(tree, path)).toBe(expected);
  });

  it('are told by what the frame says it is of', () => {
    const elixir = (of: string, file: string) => mapFrame(tree, frame({ language: 'elixir', of, file }));
    expect(elixir('shop', 'lib/shop/prices.ex')).toMatchObject({ kind: 'own', path: 'lib/shop/prices.ex' });
    expect(elixir('web', 'lib/web/cart_live.ex')).toMatchObject({ path: 'apps/web/lib/web/cart_live.ex' });
    expect(elixir('phoenix', 'lib/phoenix/prices.ex')).toEqual({ kind: 'dependency', of: 'phoenix' });
    expect(elixir('elixir', 'lib/enum.ex')).toEqual({ kind: 'runtime' });
    expect(mapFrame(tree, frame({ language: 'ruby', of: 'actionpack', file: 'lib/action_view/cart.rb' }))).toEqual({
      kind: 'dependency',
      of: 'actionpack',
    });
    expect(mapFrame(tree, frame({ language: 'native', of: '/lib/libc.so.6', symbol: 'abort' }))).toEqual({
      kind: 'runtime',
    });
    expect(mapFrame(tree, frame({ language: 'native', of: 'shop', symbol: 'cart_total' }))).toEqual({
      kind: 'unknown',
    });
  });

  it('are found by module, class and type where there is no file', () => {
    const found = (part: Partial<Frame>) => mapFrame(tree, frame(part));
    expect(found({ language: 'elixir', of: 'web', symbol: 'Web.CartLive.mount/3' })).toMatchObject({
      path: 'apps/web/lib/web/cart_live.ex',
    });
    expect(found({ language: 'kotlin', symbol: 'com.acme.shop.Cart' })).toMatchObject({
      path: 'src/commonMain/kotlin/shop/Cart.kt',
    });
    expect(found({ language: 'swift', of: 'Shop', symbol: 'specialized Cart.total(items:)' })).toMatchObject({
      path: 'Sources/Shop/Cart.swift',
    });
    expect(found({ language: 'kotlin', symbol: 'kotlin.collections.HashMap' })).toEqual({ kind: 'runtime' });
  });
});
