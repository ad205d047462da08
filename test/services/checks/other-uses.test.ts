// What a change leaves behind: callers of a function whose first line it changed, and of one that it took away.
import { expect, it } from 'vitest';
import { gitRepository } from '../../../packages/git-objects/test/git-repository.ts';
import { findOtherUses } from '../../../src/services/checks/find-other-uses.ts';
import { pathProject, SIGNAL, testSource } from '../../support/project-source.ts';

const BEFORE = {
  'lib/argument.js':
    'export function readableName(arg) {\n  return arg.name;\n}\n\nexport function kindOf(arg) {\n  return arg.kind;\n}\n\nexport function sameAsBefore(arg) {\n  return arg;\n}\n',
  'lib/help.js': "import { readableName } from './argument.js';\nexport const help = (arg) => readableName(arg);\n",
  'lib/command.js':
    "import { kindOf, readableName, sameAsBefore } from './argument.js';\nexport function usage(arg) {\n  return readableName(arg) + kindOf(sameAsBefore(arg));\n}\n",
  'test/command.test.js': "import { readableName } from '../lib/argument.js';\nreadableName({});\n",
  'README.md': 'readableName(arg) says how an argument is called.\n',
};
const AFTER = {
  'lib/argument.js':
    'export function readableName(name, kind) {\n  return kind + name;\n}\n\nexport function sameAsBefore(arg) {\n  return arg ?? null;\n}\n',
  'lib/help.js':
    "import { readableName } from './argument.js';\nexport const help = (arg) => readableName(arg.name, arg.kind);\n",
};

it('names the lines outside of the change that still use what it redefined or took away, and no others', async () => {
  await using made = await gitRepository();
  const base = await made.commit(BEFORE, 'before');
  const head = await made.commit(AFTER, 'after');
  await using opened = testSource();
  const repository = await opened.source.open(pathProject(made.path), SIGNAL);
  const find = (changed: readonly string[]) => findOtherUses(repository, { base, head, changed }, SIGNAL);
  const found = await find(['lib/argument.js', 'lib/help.js']);
  expect(found.map(({ name, path, line }) => `${name} ${path}:${line}`)).toEqual([
    'readableName lib/command.js:1',
    'readableName lib/command.js:3',
    'kindOf lib/command.js:1',
    'kindOf lib/command.js:3',
  ]);
  expect(await find(['lib/help.js'])).toEqual([]);
  expect(await find(['test/command.test.js'])).toEqual([]);
});
