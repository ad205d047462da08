// What the model is told first: the facts as text, the suspects, and the project's own conventions.
import type { Brief } from '../agent/prompt.ts';
import type { InvestigationStep } from '../core/evidence.ts';
import type { Conclusion } from '../core/issue.ts';
import type { Repository } from '../core/source.ts';
import type { Run } from '../db/store.ts';

/** Where projects keep what those who change the code should know, in the order of their weight. */
const INSTRUCTION_FILES = [
  'AGENTS.md',
  'CLAUDE.md',
  '.github/copilot-instructions.md',
  ...['', '.github/', 'docs/'].flatMap((folder) => ['md', 'rst', 'txt'].map((end) => `${folder}CONTRIBUTING.${end}`)),
];
/** More of a file is not shown to the model anyway. */
const MAX_INSTRUCTIONS = 8_000;
/** UTF-8 bytes: what the brief has for facts. Whole steps are left out before it cuts one in two. */
const MAX_FACTS = 9_600;

export interface BriefGround {
  readonly project: string;
  readonly facts: Conclusion;
  /** Without secrets. */
  readonly repository: Repository;
}

export async function briefOf(run: Run, ground: BriefGround, signal: AbortSignal): Promise<Brief> {
  const { facts, project } = ground;
  return {
    project,
    revision: facts.analysis.revision,
    report: run.text,
    facts: factsText(facts.investigationSteps),
    suspects: facts.analysis.suspects,
    language: run.settings.language,
    instructions: [...ownWords(run), ...(await instructionsOf(ground, signal))],
  };
}

/** What the facts lose first where they are too long: counts of words, then what is known of the suspects after the first. */
const LEAST_TOLD: readonly RegExp[] = [/^search each of .*\(any case\)/, /^search each of /, /^history /, /^blame /];

/** Steps bear the numbers by which they can be cited. */
export function factsText(steps: readonly InvestigationStep[]): string {
  const told = steps.map((step, index) => ({ step, text: tellStep(step, index + 1) }));
  for (const pattern of LEAST_TOLD) {
    for (const [at, { step }] of [...told.entries()].toReversed()) {
      if (sizeOf(told) <= MAX_FACTS) break;
      if (pattern.test(step.action)) told[at] = { step, text: `[step ${at + 1}] ${step.action}\n(left out here)` };
    }
  }
  return told.map(({ text }) => text).join('\n');
}

function sizeOf(told: readonly { readonly text: string }[]): number {
  return told.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
}

function tellStep({ action, result, analysis }: InvestigationStep, number: number): string {
  if (action.startsWith('rank suspects')) return `[step ${number}] ${action}\n(the list stands below, under Suspects)`;
  const lines = result.split('\n').filter((line) => !line.startsWith('expression: '));
  return `[step ${number}] ${action}\n${lines.join('\n')}\n=> ${analysis}`;
}

function ownWords({ settings }: Run): Brief['instructions'] {
  const text = settings.instructions.slice(0, MAX_INSTRUCTIONS);
  return text === '' ? [] : [{ path: '.github/causeway.yml (instructions)', text }];
}

/** Those of the default branch: the commit that is investigated may be a stranger's. */
async function instructionsOf({ repository }: BriefGround, signal: AbortSignal): Promise<Brief['instructions']> {
  const head = await repository.resolve('', signal);
  if (head === null) return [];
  const tree = repository.tree(head);
  const files = new Set((await tree.files(signal)).entries.map(({ path }) => path));
  const instructions: { path: string; text: string }[] = [];
  for (const path of INSTRUCTION_FILES.filter((each) => files.has(each))) {
    const read = await tree.read(path, {}, signal);
    if (read.kind !== 'text') continue;
    instructions.push({ path, text: read.text.slice(0, MAX_INSTRUCTIONS) });
  }
  return instructions;
}
