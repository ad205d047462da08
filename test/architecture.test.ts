// The house as ARCHITECTURE.md draws it: which room may import which, and where each package is at home.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  listPackages,
  listShippedFiles,
  listSourceFiles,
  listTestFiles,
  listTestPackages,
  ROOT,
} from './support/source-files.ts';

interface Room {
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
}

/** Besides itself; node's own modules are free everywhere but in the rooms that are `PURE`. */
const ROOMS: Readonly<Record<string, Room>> = {
  core: { rooms: [], packages: [] },
  triage: { rooms: ['core'], packages: [] },
  ci: { rooms: ['core', 'triage'], packages: ['re2js'] },
  investigate: {
    rooms: ['core', 'installation'],
    packages: ['zod', 'web-tree-sitter', '@vscode/tree-sitter-wasm'],
  },
  'build-logs': { rooms: ['core', 'log'], packages: ['zod'] },
  'mcp-client': { rooms: ['core', 'log'], packages: ['zod', '@modelcontextprotocol/client'] },
  'mcp-server': { rooms: ['core'], packages: ['zod', '@modelcontextprotocol/server'] },
  search: {
    rooms: ['core', 'triage', 'log', 'installation'],
    packages: ['better-sqlite3', 'lru-cache'],
  },
  evaluation: { rooms: ['core'], packages: [] },
  services: {
    rooms: ['db', 'core', 'triage', 'ci', 'investigate', 'log', 'installation'],
    packages: [],
  },
  github: {
    rooms: ['db', 'core', 'services', 'log'],
    packages: [
      '@octokit/auth-app',
      '@octokit/plugin-throttling',
      '@octokit/rest',
      '@octokit/webhooks',
      'lru-cache',
      'probot',
      'smee-client',
      'yaml',
      'zod',
    ],
  },
  api: {
    rooms: ['db', 'core', 'services', 'log', 'installation'],
    packages: ['hono', '@hono/node-server', '@hono/zod-openapi'],
  },
  web: { rooms: ['db', 'core', 'services', 'log', 'installation'], packages: ['hono', 'd3-scale', 'lowlight'] },
  webhooks: { rooms: ['db', 'core', 'log'], packages: ['ipaddr.js', 'standardwebhooks'] },
  db: { rooms: ['core'], packages: ['kysely', 'better-sqlite3', 'pg'] },
  queue: { rooms: ['core', 'db', 'log'], packages: ['kysely', 'pg-boss'] },
  cli: { rooms: ['db', 'core', 'services', 'evaluation'], packages: [] },
  metrics: { rooms: ['core', 'db', 'log', 'tracing'], packages: ['prom-client', '@opentelemetry/api'] },
  tracing: { rooms: ['core', 'log'], packages: ['@opentelemetry/api'] },
  app: {
    rooms: [
      'core',
      'investigate',
      'services',
      'evaluation',
      'github',
      'api',
      'web',
      'webhooks',
      'search',
      'db',
      'queue',
      'cli',
      'mcp-client',
      'mcp-server',
      'build-logs',
      'metrics',
      'tracing',
      'log',
      'config',
      'installation',
    ],
    packages: [],
  },
  index: { rooms: ['app'], packages: ['probot'] },
  main: { rooms: ['app', 'config', 'log', 'cli'], packages: [] },
  /** Where the program's own files are. */
  installation: { rooms: [], packages: [] },
  config: { rooms: ['core', 'installation'], packages: [] },
  log: { rooms: [], packages: ['pino'] },
};

/** Packages of ours that are at home in each room; the others where threads and files may be. */
const LEAVES = new Set([
  'causeway-ci-log',
  'causeway-code-words',
  'causeway-diff',
  'causeway-log-lines',
  'causeway-paths',
  'causeway-safe-markdown',
  'causeway-visible-text',
]);
const OF_THE_MACHINE = new Set([
  'causeway-git-objects',
  'causeway-models',
  'causeway-redact',
  'causeway-worker-thread',
]);

/**
 * Read file by file, since each command loads what it needs alone: with doors `--help` took 1.6 s of processor time
 * instead of 0.2 s. Of the App only the program and the function of Probot are for others.
 */
const WITHOUT_DOOR = new Set(['app', 'cli']);
const ENTRANCES = new Set(['app/run-command.ts', 'app/probot-app.ts']);

const PURE = new Set(['core', 'triage', 'ci', 'evaluation']);
const PURE_MAY_USE = new Set(['node:crypto', 'node:zlib', 'node:path']);

interface Import {
  readonly file: string;
  readonly room: string;
  readonly target: string;
  /** Of types alone: nothing is loaded. */
  readonly isOfTypes: boolean;
}

const SRC = path.join(ROOT, 'src');
const files = listSourceFiles().flatMap((file) => (file.startsWith('src/') ? [file.slice('src/'.length)] : []));
const imports = files.flatMap((file) =>
  readImports(`src/${file}`).map((one): Import => ({ file, room: roomOf(file), ...one })),
);

/** Of a file from the root on, as they are written. */
function readImports(file: string): readonly Pick<Import, 'target' | 'isOfTypes'>[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  return [...text.matchAll(/(\bimport type [^;']*)?(?:from|import)\s*\(?\s*'([^'\s,]+)'/g)].map(
    ([, type, target = '']) => ({ target, isOfTypes: type !== undefined }),
  );
}

function listImports(file: string): readonly string[] {
  return readImports(file).map(({ target }) => target);
}

/** What a file of src reads of a package without importing it. */
function listLocated(file: string): readonly string[] {
  const text = readFileSync(path.join(SRC, file), 'utf8');
  return [...text.matchAll(/\blocateOfPackage\(['`]([^'`]+)/g)].map(([, place = '']) => place);
}

function roomOf(file: string): string {
  const [first = ''] = file.split('/');
  return first.replace(/\.ts$/, '');
}

function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The other room of src that it is from; null: its own, or none. */
function findRoomOf({ file, room, target }: Import): string | null {
  if (!target.startsWith('.') || target.endsWith('/package.json')) return null;
  const other = roomOf(path.posix.join(path.posix.dirname(file), target));
  return other === room ? null : other;
}

function describeImport({ file, target }: Import): string {
  return `${file} imports ${target}`;
}

describe('the modules of src', () => {
  it('has no room that is not in the table', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in ROOMS))).toEqual([]);
  });

  it('lets each room import only the rooms that the table allows', () => {
    const wrong = imports.filter((one) => {
      const other = findRoomOf(one);
      return other !== null && !ROOMS[one.room]?.rooms.includes(other);
    });
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('lets no room import what it does not need', () => {
    const idle = Object.entries(ROOMS).flatMap(([name, { rooms, packages }]) => {
      const own = imports.filter(({ room }) => room === name);
      const located = files.filter((file) => roomOf(file) === name).flatMap(listLocated);
      const used = new Set([
        ...own.map(findRoomOf),
        ...[...own.map(({ target }) => target), ...located].map(packageOf),
      ]);
      return [...rooms, ...packages].filter((one) => !used.has(one)).map((one) => `${name} has no use for ${one}`);
    });
    expect(idle).toEqual([]);
  });

  it('keeps each package in the rooms where it is at home', () => {
    const wrong = imports.filter(({ room, target, isOfTypes }) => {
      if (target.startsWith('.') || target.startsWith('node:') || LEAVES.has(target)) return false;
      if (OF_THE_MACHINE.has(target)) return PURE.has(room) && !isOfTypes;
      return !ROOMS[room]?.packages.includes(packageOf(target));
    });
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('keeps the pure rooms away from files, network and processes', () => {
    const wrong = imports.filter(
      ({ room, target }) => PURE.has(room) && target.startsWith('node:') && !PURE_MAY_USE.has(target),
    );
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('starts no program but git, and that of the operator which prints a key', () => {
    const starters = listShippedFiles().filter((file) => listImports(file).includes('node:child_process'));
    expect(starters.sort()).toEqual([
      'packages/git-objects/src/starter-process.ts',
      'packages/git-objects/src/starter.ts',
      'packages/models/src/key-command.ts',
    ]);
  });

  it('reads the environment only in config.ts and main.ts', () => {
    const readers = files.filter((file) => /process\.env\b/.test(readFileSync(path.join(SRC, file), 'utf8')));
    expect(readers.filter((file) => file !== 'config.ts' && file !== 'main.ts')).toEqual([]);
  });

  it('has no drawers, and files that open with their sentence', () => {
    const wrong = files.filter((file) => {
      const text = readFileSync(path.join(SRC, file), 'utf8');
      const drawer = /(^|\/)(utils?|helpers?|common|misc|shared|lib)(\/|\.ts$)/.test(file);
      const named = /^[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(path.posix.basename(file));
      return drawer || !named || !text.startsWith('// ');
    });
    expect(wrong).toEqual([]);
  });

  it('has one door in each folder, which only passes on, and nothing reaches past one', () => {
    const doors = new Set(files.filter((file) => file.endsWith('/index.ts')).map((file) => path.posix.dirname(file)));
    const folders = new Set(files.map((file) => file.split('/').slice(0, -1).join('/')));
    const subjects = [...folders].filter((folder) => /^(?:core|github)\/[^/]+$/.test(folder));
    const rooms = [...folders].filter(
      (folder) => /^[^/]+$/.test(folder) && !WITHOUT_DOOR.has(folder) && folder !== 'core',
    );
    expect([...subjects, ...rooms].filter((folder) => !doors.has(folder))).toEqual([]);
    expect(doors.size).toBeGreaterThan(30);

    const findDoor = (file: string): string | undefined => {
      const parts = file.split('/').slice(0, -1);
      const above = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
      return above.find((folder) => doors.has(folder));
    };
    const past = imports.filter(({ file, target }) => {
      if (!target.startsWith('.')) return false;
      const found = path.posix.join(path.posix.dirname(file), target);
      const door = findDoor(found);
      if (door === undefined) return found.startsWith('app/') && !file.startsWith('app/') && !ENTRANCES.has(found);
      return !file.startsWith(`${door}/`) && found !== `${door}/index.ts`;
    });
    expect(past.map(describeImport)).toEqual([]);

    const doing = [...doors].filter((folder) => {
      const text = readFileSync(path.join(SRC, folder, 'index.ts'), 'utf8');
      return (
        text
          .replace(/^\/\/ .*$/gm, '')
          .replace(/^export (?:type )?\{[^}]*\} from '\.\/[^']+';$/gm, '')
          .trim() !== ''
      );
    });
    expect(doing).toEqual([]);
  });

  it('has no circle of folders', () => {
    expect(findCircle(new Map(Object.entries(ROOMS).map(([room, { rooms }]) => [room, rooms])))).toEqual([]);
  });

  it('reads no sentence that other code wrote', () => {
    const field = String.raw`(?:\b(?:step|steps|reason|finding|before|issue)\.|\b)(?:action|reason|reasons|detail|analysis|notBegun|rootCause)`;
    const reads = new RegExp(
      String.raw`${field}\??\.(?:includes|startsWith|endsWith|match|search|indexOf)\(['"\`/]|\.test\((?:\w+\.)?(?:action|reason|detail|analysis|notBegun)\)`,
    );
    const wrong = files.flatMap((file) =>
      readFileSync(path.join(SRC, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (reads.test(line) ? [`${file}:${index + 1}`] : [])),
    );
    // The last character of a reason decides whether a full stop follows it.
    expect(wrong).toEqual([expect.stringMatching(/^investigate\/tools\/edit-tools\.ts:/)]);
  });
});

describe('what ARCHITECTURE.md says', () => {
  const text = readFileSync(path.join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  /** The rows of the table whose first column is named so, by that column; the cells without code marks. */
  const readTable = (head: string): ReadonlyMap<string, readonly string[]> => {
    const lines = text.split('\n');
    const from = lines.findIndex((line) => line.startsWith(`| ${head} |`)) + 2;
    const rows = lines.slice(from, from + lines.slice(from).findIndex((line) => !line.startsWith('|')));
    return new Map(
      rows.map((row) => {
        const [name = '', ...cells] = row
          .slice(1, -1)
          .split(' | ')
          .map((cell) => cell.replaceAll('`', '').trim());
        return [name, cells];
      }),
    );
  };
  const listed = (cell = ''): readonly string[] => (cell === '–' ? [] : cell.split(', ')).toSorted();

  it('of packages is what each needs of ours', () => {
    const needs = [...readTable('package')].map(([name, cells]) => [name, listed(cells[3])]);
    const asked = listPackages().map((name) => {
      const { dependencies = {} } = JSON.parse(readFileSync(path.join(ROOT, 'packages', name, 'package.json'), 'utf8'));
      const ours = Object.keys(dependencies).filter((one) => one.startsWith('causeway-'));
      return [name, ours.map((one) => one.replace('causeway-', '')).toSorted()];
    });
    expect(Object.fromEntries(needs)).toEqual(Object.fromEntries(asked));
  });

  it('of packages has no circle', () => {
    const table = [...readTable('package')].map(([name, cells]) => [name, listed(cells[3])] as const);
    expect(findCircle(new Map(table))).toEqual([]);
  });

  it('of lines is about what there is', () => {
    const count = (folder: string) =>
      listSourceFiles()
        .filter((file) => file.startsWith(`${folder}/`))
        .reduce((sum, file) => sum + readFileSync(path.join(ROOT, file), 'utf8').split('\n').length - 1, 0);
    const packages = readTable('package');
    const listBelow = (name: string): readonly string[] => [
      name,
      ...listed(packages.get(name)?.[3]).flatMap((one) => listBelow(one)),
    ];
    const said = [
      ...[...packages].flatMap(([name, [, lines, whole]]) => [
        { what: `packages/${name}`, said: lines, is: count(`packages/${name}/src`) },
        {
          what: `packages/${name} with what it needs`,
          said: whole,
          is: [...new Set(listBelow(name))].reduce((sum, one) => sum + count(`packages/${one}/src`), 0),
        },
      ]),
      ...[...readTable('folder')].map(([name, cells]) => ({ what: name, said: cells[1], is: count(`src/${name}`) })),
    ];
    const isFar = (told = '', is = 0) => Math.abs(Number(told.replace(',', '')) - is) > is / 10;
    expect(said.filter((one) => isFar(one.said, one.is))).toEqual([]);
  });

  it('of packages that were not made is what their folders need', () => {
    for (const folder of ['triage', 'investigate', 'search']) {
      const [, number, list = ''] = new RegExp(`\`${folder}\` (\\w+) \\(([^)]*)\\)`).exec(text) ?? [];
      const needed = imports.filter(({ room, target }) => room === folder && target.startsWith('causeway-'));
      const names = [...new Set(needed.map(({ target }) => target.replace('causeway-', '')))].sort();
      expect({ folder, list: list.split(/,\s+/) }).toEqual({ folder, list: names });
      expect(number).toBe({ 3: 'three', 7: 'seven' }[names.length]);
    }
  });

  it('of errors of packages is which files name them', () => {
    const doors = listPackages().map((name) => readFileSync(path.join(ROOT, 'packages', name, 'src/index.ts'), 'utf8'));
    const classes = listShippedFiles().flatMap((file) =>
      [
        ...readFileSync(path.join(ROOT, file), 'utf8').matchAll(
          /^export class (\w+) extends (?:Error|ModelFailure)\b/gm,
        ),
      ].flatMap(([, name = '']) => (file.startsWith('packages/') ? [name] : [])),
    );
    const shown = classes.filter((name) => doors.some((door) => new RegExp(`\\b${name}\\b`).test(door)));
    const named = shown.map((name) => {
      const pattern = new RegExp(String.raw`import [^;']*\b${name}\b[^;']* from 'causeway-`);
      return [name, files.filter((file) => pattern.test(readFileSync(path.join(SRC, file), 'utf8'))).toSorted()];
    });
    const said = [...readTable('error')].map(([name, cells]) => [name, listed(cells[1])]);
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(named));
  });

  it('of words is one a line', () => {
    const words = [...readTable('word').keys()];
    expect(words.length).toBeGreaterThan(30);
    expect(words.filter((word) => word.includes(','))).toEqual([]);
    expect(words).toEqual([...new Set(words)]);
  });

  it('of folders is what each may import', () => {
    const said = [...readTable('folder')]
      .filter(([name]) => name !== 'app')
      .map(([name, cells]) => [name, listed(cells[2])]);
    const folders = new Set(files.filter((file) => file.includes('/')).map(roomOf));
    const allowed = Object.entries(ROOMS)
      .filter(([room]) => folders.has(room) && room !== 'app')
      .map(([room, { rooms }]) => [room, rooms.filter((one) => one !== 'core').toSorted()]);
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(allowed));
  });

  it('like all our pages, names files that are there', () => {
    const pages = ['.', 'docs', 'src/queue'].flatMap((folder) =>
      readdirSync(path.join(ROOT, folder)).flatMap((file) =>
        file.endsWith('.md') && file !== 'CHANGELOG.md' ? path.join(folder, file) : [],
      ),
    );
    const named = pages.flatMap((page) =>
      [
        ...readFileSync(path.join(ROOT, page), 'utf8').matchAll(
          /`((?:test|src|packages|scripts)\/[\w./-]+\.(?:ts|mjs|md|json))`/g,
        ),
      ].map(([, file = '']) => ({ page, file })),
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ file }) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});

it('comments name files of ours that are there', () => {
  const all = globSync(['{src,packages,test,scripts}/**/*.ts', '*.ts'], {
    cwd: ROOT,
    exclude: (name) => name === 'node_modules',
  });
  const ends = new Set(
    all.flatMap((file) => {
      const parts = file.split(path.sep);
      return parts.map((_, index) => parts.slice(index).join('/'));
    }),
  );
  const named = [...listSourceFiles(), ...listTestFiles()].flatMap((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    // Between code marks are files of the projects that are read.
    const comments = [...text.matchAll(/^\s*(?:\/\/|\/\*\*|\*) (.*)$/gm)].map(([, words = '']) =>
      words.replace(/`[^`]*`/g, ''),
    );
    return comments.flatMap((words) =>
      [...words.matchAll(/[\w./-]*[\w-]\.ts\b(?!\()/g)].map(([name]) => ({ file, name })),
    );
  });
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ name }) => !ends.has(name.replace(/^(?:\.\.?\/)+/, '')))).toEqual([]);
});

describe('an exported name', () => {
  const defined = listSourceFiles().flatMap((file) => {
    const definition = /^(export )?(?:async |abstract )*(function|const|class|interface|type)(?:\* ?| \*?)(\w+)/gm;
    return [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(definition)].map(
      ([, exported, kind = '', name = '']) => ({ file, kind, name, isExported: exported !== undefined }),
    );
  });
  const listDoubles = (definitions: typeof defined) =>
    [...Map.groupBy(definitions, ({ name }) => name)]
      .map(([name, all]) => [name, ...new Set(all.map(({ file }) => file))])
      .filter((double) => double.length > 2);

  it('means one thing in the whole repository', () => {
    const exported = defined.filter(({ isExported }) => isExported);
    expect(exported.length).toBeGreaterThan(2_000);
    expect(listDoubles(exported)).toEqual([]);
  });

  it('of a function or class is that of no private one either', () => {
    const doing = defined.filter(({ kind }) => kind === 'function' || kind === 'class');
    const exported = new Set(doing.flatMap(({ name, isExported }) => (isExported ? [name] : [])));
    expect(exported.size).toBeGreaterThan(1_000);
    expect(listDoubles(doing.filter(({ name }) => exported.has(name)))).toEqual([]);
  });
});

describe.each(listPackages())('the package %s', (name) => {
  const folder = `packages/${name}`;
  const manifest = JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'));
  const own = listSourceFiles().filter((file) => file.startsWith(`${folder}/`));
  const targets = own.flatMap((file) => listImports(file).map((target) => ({ file, target })));

  it('imports what its package.json names, and nothing else of ours', () => {
    // npm hoists: what is not declared is found all the same.
    const named = targets.filter(({ target }) => !target.startsWith('.') && !target.startsWith('node:'));
    const used = [...new Set(named.map(({ target }) => packageOf(target)))].sort();
    const { dependencies = {}, devDependencies = {} } = manifest;
    if (listTestPackages().includes(name)) {
      // npm installs in production what any package of ours depends on, but for its `devDependencies`.
      expect(dependencies).toEqual({});
      expect(used.filter((one) => !(one in devDependencies))).toEqual([]);
    } else {
      // Types alone are imported by the name of what they describe.
      const asked = Object.keys(dependencies).map((one) => one.replace('@types/', ''));
      expect(used).toEqual(asked.sort());
    }
    const outside = targets.filter(({ file, target }) => {
      return target.startsWith('.') && !path.posix.join(path.posix.dirname(file), target).startsWith(`${folder}/src/`);
    });
    expect(outside).toEqual([]);
  });

  it('has tests that start on any Node, through the launcher', () => {
    const started = `node ../../scripts/run.mjs vitest run --root ../.. packages/${name}/`;
    expect(manifest.scripts?.test).toBe(started);
  });

  it('has one small door, and nobody reaches past it', () => {
    expect(manifest.exports).toBe('./src/index.ts');
    const door = readFileSync(path.join(ROOT, folder, 'src', 'index.ts'), 'utf8');
    const names = [...door.matchAll(/export (?!type)\{([^}]*)\}/g)].flatMap(([, list = '']) => list.split(','));
    const values = names.map((one) => one.trim()).filter((one) => one !== '' && !one.startsWith('type '));
    expect(values.length).toBeGreaterThan(0);
    expect(values.length).toBeLessThanOrEqual(MOST_VALUES);
    // The evaluation measures parts of a package as well, and no door is made wider for it.
    const past = [...listSourceFiles(), ...listTestFiles()]
      .filter((file) => !file.startsWith(`${folder}/`) && !/^test\/(?:bench|eval)\//.test(file))
      .flatMap((file) => listImports(file).map((target) => `${file} imports ${target}`))
      .filter((line) => line.includes(`${name}/src/`) || line.includes(`imports ${manifest.name}/`));
    expect(past).toEqual([]);
  });

  it('says of each value of its door what it is, without looking at another', () => {
    const door = readFileSync(path.join(ROOT, folder, 'src', 'index.ts'), 'utf8');
    const silent = [...door.matchAll(/export (?!type)\{([^}]*)\} from '\.\/([^']+)'/g)].flatMap(
      ([, list = '', file = '']) => {
        const text = readFileSync(path.join(ROOT, folder, 'src', file), 'utf8');
        const names = list.split(',').map((one) => one.trim());
        return names.filter((one) => {
          if (one === '' || one.startsWith('type ')) return false;
          const at = text.search(
            new RegExp(`^export (?:async |abstract )?(?:function\\*?|const|class) ${one}\\b`, 'm'),
          );
          const above = text.slice(0, at).trimEnd();
          const said = above.endsWith('*/') ? above.slice(above.lastIndexOf('/**')) : '';
          return said === '' || /^\/\*\*[\s*]+The same\b/.test(said);
        });
      },
    );
    expect(silent).toEqual([]);
  });

  it('has tests that need the package alone, and helpers that need nothing of ours', () => {
    const { dependencies = {}, devDependencies = {} } = manifest;
    const tests = listTestFiles().filter((file) => file.startsWith(`${folder}/`));
    const beside = tests.flatMap((file) =>
      listImports(file).flatMap((target) => {
        if (!target.startsWith('.')) {
          const isOthers = target.startsWith('causeway-') && target !== manifest.name;
          return isOthers && !(target in { ...dependencies, ...devDependencies }) ? `${file} imports ${target}` : [];
        }
        const at = path.posix.join(path.posix.dirname(file), target);
        return at.startsWith(`${folder}/`) || isLeafHelper(at) ? [] : `${file} imports ${at}`;
      }),
    );
    expect(beside).toEqual([]);
  });

  it('has files that open with their sentence', () => {
    expect(own.filter((file) => !readFileSync(path.join(ROOT, file), 'utf8').startsWith('// '))).toEqual([]);
  });
});

/** Those that are in a circle, or need one that is. */
function findCircle(needs: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const left = new Map([...needs].map(([name, needed]) => [name, new Set(needed)]));
  for (;;) {
    const leaf = [...left].find(([, needed]) => needed.size === 0)?.[0];
    if (leaf === undefined) return [...left.keys()];
    left.delete(leaf);
    for (const needed of left.values()) needed.delete(leaf);
  }
}

/** Of a package's door; types are free. */
const MOST_VALUES = 12;

/** What tests of packages share with those of the App. */
function isLeafHelper(file: string): boolean {
  const isOurs = (target: string) => target.startsWith('.') || target.startsWith('causeway-');
  return file.startsWith('test/support/') && !listImports(file).some(isOurs);
}
