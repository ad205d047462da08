// What a report names comes before what it sounds like: a line, a message, a path, a commit, the name of a file.
import { describe, expect, it } from 'vitest';
import { concludeFromFacts } from '../../src/triage/facts-only.ts';
import { FIRST, factsOf, SECOND } from './shop.ts';

/** Sounds like every report below. */
const CONTROLLER = `/** The controller of a field: subscribes to its value, watches it, and resets the form with the default value. */
export function controller(form: Form, field: Field, defaultValue: Value): Controller {
  const subscribed = form.subscribe(field, (value) => form.reset(field, value));
  return { field, subscribed, reset: () => form.reset(field, defaultValue) };
}

/** Resets the controller of a form's field when its value is watched and the form was reset. */
export function resetController(form: Form, field: Field, value: Value): void {
  form.reset(field, value);
}
`;
const FILES = {
  'package.json': '{ "name": "forms" }\n',
  'src/controller.ts': CONTROLLER,
  'src/hooks/observe.ts': `export function observe(source: Source): Stop {
  const stop = source.listen();
  if (!stop) throw new Error('nobody listens to this source');
  return stop;
}
`,
  'src/hooks/listen.ts': 'export const listen = 1;\n',
  'packages/more/src/hooks/listen.ts': 'export const listen = 2;\n',
  'src/hooks/memo.ts': 'export const memo = new WeakMap();\n',
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`src/part-${index}.ts`, `export const part${index} = ${index};\n`]),
  ),
};
const COMMITS = [
  { sha: FIRST, subject: 'Begin', files: FILES },
  {
    sha: SECOND,
    subject: 'Keep less (#321)',
    files: { ...FILES, 'src/hooks/memo.ts': 'export const memo = new Map();\n' },
  },
];
const PROSE = `The watched value of a field is undefined after the form was reset

The controller of the field subscribes to its value. When the form is reset with a default value, the watched value of the
field is undefined once, and the controller resets the field again.
`;

async function lookAt(words: string) {
  const facts = await factsOf(`${PROSE}\n${words}\n`, { commits: COMMITS });
  return { ...facts, cause: concludeFromFacts(facts, { seconds: 1 }).rootCause };
}

describe('what a report names', () => {
  it.each([
    ['a line', 'See src/hooks/observe.ts:2 for the place.', 'src/hooks/observe.ts:2', 'mentioned in the report'],
    ['a line of a crash', 'Source Location: src/hooks/observe.ts:3:9', 'src/hooks/observe.ts:3', 'mentioned'],
    [
      'a line by a link',
      'https://github.com/o/forms/blob/main/src/hooks/observe.ts#L2',
      'src/hooks/observe.ts:2',
      'mentioned in the report',
    ],
    [
      'a message that one file has',
      '```\nError: nobody listens to this source\n```',
      'src/hooks/observe.ts:3',
      'contains the error message “nobody listens to this source” at line 3',
    ],
    [
      'a path that another one ends with',
      'I think that `src/hooks/listen.ts` is wrong.',
      'src/hooks/listen.ts',
      'mentioned in the report',
    ],
    ['a path', 'I think that `src/hooks/observe.ts` is wrong.', 'src/hooks/observe.ts', 'mentioned in the report'],
    [
      'a commit',
      'This happens since the refactor in 2b2b2b2, as far as I know.',
      'src/hooks/memo.ts',
      'changed in 2b2b2b2 “Keep less (#321)”, which the report names',
    ],
    [
      'a pull request',
      'This happens since #321.',
      'src/hooks/memo.ts',
      'changed in 2b2b2b2 “Keep less (#321)” for #321, which the report names',
    ],
    ['the name of a file', 'The fault may be in observe.ts', 'src/hooks/observe.ts', '`observe.ts` is mentioned'],
  ])('comes first: %s', async (_, words, place, reason) => {
    const { shown, cause, steps } = await lookAt(words);
    expect(cause).toContain(`Most likely place: \`${place}`);
    expect(cause).not.toMatch(/no reliable suspect|almost as likely/);
    expect(steps.find(({ lookup }) => lookup === 'rank_suspects')?.analysis).toBe('The report names the first one.');
    expect(shown[0]?.reasons.join('; ')).toContain(reason);
  });

  it('comes in the order of how sure that is', async () => {
    const { shown } = await lookAt('Since #321 it breaks. The fault may be in observe.ts, or at src/part-7.ts:1.');
    expect(shown.slice(0, 3).map(({ file }) => file)).toEqual([
      'src/part-7.ts',
      'src/hooks/memo.ts',
      'src/hooks/observe.ts',
    ]);
  });

  it.each([
    ['as something related', 'Somewhat related to #321.\n\nSee also #321, and what was discussed in #321.'],
    ['in passing', 'I run `node src/hooks/observe.ts` and wait.'],
    ['as the version in use', 'Version: 1.2.3 (2b2b2b2)\n\nBuilt from commit 2b2b2b2 of the main branch today.'],
    [
      'in a list',
      ['memo.ts', 'observe.ts', ...Array.from({ length: 6 }, (_, index) => `part-${index}.ts`)]
        .map((name) => `The file ${name} has the value as well.`)
        .join('\n'),
    ],
  ])('does not come first where it is named %s', async (_, words) => {
    const { shown, suspects } = await lookAt(words);
    expect(suspects[0]?.file).toBe('src/controller.ts');
    expect(shown.every(({ score }) => score < 0.6)).toBe(true);
  });

  it('is as likely where all frames lie in a dependency', async () => {
    const { cause } = await lookAt(`This happens since the refactor in 2b2b2b2, as far as I know.

TypeError: Missing pad at 2
    at pad (/srv/forms/node_modules/left-pad/index.js:1:1)
    at run (/srv/forms/node_modules/left-pad/index.js:9:1)`);
    expect(cause).toContain('Most likely place: `src/hooks/memo.ts');
  });

  it('comes after the first frame of a trace', async () => {
    const { shown } = await lookAt(`TypeError: x is undefined
    at getPart (/srv/forms/src/part-3.ts:1:14)
    at controller (/srv/forms/src/controller.ts:3:14)

Maybe src/hooks/observe.ts:2 is to blame.`);
    expect(shown.slice(0, 3).map(({ file }) => file)).toEqual([
      'src/part-3.ts',
      'src/hooks/observe.ts',
      'src/controller.ts',
    ]);
  });
});
