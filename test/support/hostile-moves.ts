// What an attacker in the model's place needs for every attack: a shop to attack, a look at it, an honest-looking end.
import type { Issue } from '../../src/core/issue.ts';
import type { ModelRequest } from '../../src/core/model.ts';
import type { Attack, Said } from './hostile-house.ts';

export const SHOP = {
  'src/total.ts': 'export function total(cart: { sum: number }) {\n  return cart.sum + 1;\n}\n',
  'src/greeting.ts': "export const greeting = 'hello';\n",
  'package.json': '{ "name": "shop", "version": "1.0.0" }\n',
} as const;

/** A line of the shop that any claim can be hung on. */
export const CAUSE = 'return cart.sum + 1;';

export type Call = readonly [name: string, args: unknown];

export const LOOK: Call = ['read_files', { files: [{ path: 'src/total.ts' }] }];
export const MEND: Call = ['replace', { path: 'src/total.ts', old: 'cart.sum + 1', new: 'cart.sum' }];

export function creates(path: string, content = 'x\n'): Call {
  return ['create_file', { path, content }];
}

/** The number of the first answer that holds `text`, the query included; 0 where none does. */
export function stepOf({ messages }: ModelRequest, text: string): number {
  const answer = messages.find(({ role, content }) => role === 'tool' && content.includes(text))?.content;
  return Number(/^\[step (\d+)\]/.exec(answer ?? '')?.[1] ?? 0);
}

/** The answers of the tools to the calls so far, in order. */
export function answersIn(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content);
}

/** A conclusion that is proven, by a line that does stand there; `parts` replace what it says. */
export function concludes(parts: Readonly<Record<string, unknown>> = {}): (request: ModelRequest) => Said {
  return (request) => ({
    calls: [
      [
        'conclude',
        {
          outcome: 'code_fix',
          problem: 'The total is off by one.',
          rootCause: [
            {
              text: 'The sum gets one too many.',
              citations: [{ step: stepOf(request, CAUSE), quote: CAUSE }],
              places: [{ file: 'src/total.ts', line: 2 }],
            },
          ],
          stepsToReproduce: [],
          solutionSteps: ['Take the one away.'],
          questions: [],
          suspects: [],
          ruledOut: ['The greeting.'],
          fixedBy: [],
          ...parts,
        },
      ],
    ],
  });
}

/** Looks, makes these calls eight to a turn, and concludes. */
export function attackWith(calls: readonly Call[], parts: Readonly<Record<string, unknown>> = {}): Attack {
  const all = [LOOK, ...calls];
  const turns = Array.from({ length: Math.ceil(all.length / 8) }, (_, at) => ({
    calls: all.slice(8 * at, 8 * at + 8),
  }));
  return [...turns, concludes(parts)];
}

/** The rule of each guard by the file that it is about. */
export function rulesOf({ analysis }: Issue): Readonly<Record<string, string>> {
  return Object.fromEntries(analysis.guards.map(({ file, rule }) => [file, rule]));
}

/** The files that the Issue's diff names, either side. */
export function filesOf({ diff }: Issue): readonly string[] {
  return diff.files.flatMap(({ fileName, previousFileName }) => [fileName, previousFileName ?? []].flat());
}
