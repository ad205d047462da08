// A trace through an installed copy of the project leads to its source, through another package nowhere.
import { expect, it } from 'vitest';
import { mapTraces } from '../../src/triage/clues.ts';
import { readOwnPackages } from '../../src/triage/own-packages.ts';
import { createPathIndex, mapFrame, mapPath } from '../../src/triage/paths.ts';
import { createMemoryRepository } from '../support/memory-source.ts';

const SHA = '4d'.repeat(20);

const FILES = {
  'package.json': '{\n  "name": "shop-root"\n}\n',
  'packages/core/package.json': '{\n  "name": "@shop/core"\n}\n',
  'packages/core/src/client.ts': '',
  'packages/core/src/util/client.ts': '',
  ...Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`packages/${name}/src/client.ts`, ''])),
  'packages/till/package.json': '{\n  "name": "till"\n}\n',
  'packages/till/lib/client.ts': '',
  'till_py/app/task.py': '',
  'till_py/__init__.py': '',
  'setup.py': '',
  'examples/setup.py': '',
  'lib/src/git.js': '',
  '__tests__/src/git.js': '',
  'util/fs.js': '',
  'active_cart/active_cart.gemspec': '',
  'active_cart/lib/active_cart/base.rb': '',
  'src/Shop/Kernel/composer.json': '{\n    "name": "shop/kernel"\n}\n',
  'src/Shop/Kernel/Http/Request.php': '',
  'go.mod': 'module github.com/Acme/shop/v2\n',
  'cart/cart.go': '',
  'src/Prices/Prices.cs': '',
};

const repository = createMemoryRepository({ commits: [{ sha: SHA, subject: 'Add a shop', files: FILES }] });

async function openGround() {
  const { signal } = new AbortController();
  const tree = repository.tree(SHA);
  const index = createPathIndex(await tree.files(signal));
  return { index, packages: await readOwnPackages(tree, index, signal) };
}

it.each([
  ['.../@shop/core/10.48.0/build/esm/client.js', 'packages/core/src/client.ts'],
  [
    '/srv/node_modules/.pnpm/@shop+core@1.2.3_x@2.0.0/node_modules/@shop/core/build/esm/client.js',
    'packages/core/src/client.ts',
  ],
  ['http://localhost:3000/@shop_core/build/esm/client.js', 'packages/core/src/client.ts'],
  ['https://cdn.example.com/npm/@shop/core@10.48.0/build/esm/client.js', 'packages/core/src/client.ts'],
  ['https://cdn.example.com/till@3.1.0/dist/lib/client.js', 'packages/till/lib/client.ts'],
  ['/srv/node_modules/@other/core/build/esm/client.js', 'dependency @other/core'],
  ['<>\\site-packages\\till_py\\app\\task.py', 'till_py/app/task.py'],
  ['<redacted>/node_modules/till/lib/client.js', 'packages/till/lib/client.ts'],
  ['/usr/lib/python3/dist-packages/other/app/task.py', 'dependency other'],
  ['/usr/lib/ruby/gems/3.2.0/gems/active_cart-7.1.0/lib/active_cart/base.rb', 'active_cart/lib/active_cart/base.rb'],
  ['/app/vendor/bundle/ruby/3.2.0/gems/rack-3.0.1/lib/rack/base.rb', 'dependency rack'],
  ['/app/vendor/shop/kernel/Http/Request.php', 'src/Shop/Kernel/Http/Request.php'],
  ['/app/vendor/other/kernel/Http/Request.php', 'dependency other/kernel'],
  ['/go/pkg/mod/github.com/!acme/shop/v2@v2.1.0/cart/cart.go', 'cart/cart.go'],
  ['/_/src/Prices/Prices.cs', 'src/Prices/Prices.cs'],
  ['/_/src/libraries/System.Linq/Select.cs', 'runtime'],
  ['<stdin>', 'runtime'],
  ['setup.py', 'setup.py'],
  ['/opt/old/src/git.js', 'lib/src/git.js'],
])('%s', async (written, expected) => {
  const mapping = mapPath(await openGround(), written);
  const leadsTo = { own: 'path', dependency: 'of' }[mapping.kind as string];
  const told = mapping.kind === 'dependency' ? `dependency ${mapping.of}` : mapping.kind;
  expect(leadsTo === 'path' && 'path' in mapping ? mapping.path : told).toBe(expected);
});

it('takes a bare name among absolute paths for a file of Node itself', async () => {
  const ground = await openGround();
  const frame = (file: string) => ({
    language: 'javascript' as const,
    file,
    line: 1,
    function: 'f',
    symbol: '',
    code: '',
  });
  expect(mapFrame(ground, frame('fs.js'))).toMatchObject({ kind: 'own' });
  const frames = [frame('/srv/app/packages/till/lib/client.ts'), frame('fs.js')];
  const [mapped] = mapTraces(ground, [{ language: 'javascript', frames, errorType: '', message: '', depth: 0 }]);
  expect(mapped?.map(({ mapping }) => mapping.kind)).toEqual(['own', 'runtime']);
});
