// What the model is told first: the facts as text, the suspects, and the project's own conventions.
import type { Brief } from '../agent/brief.ts';
import type { Conclusion } from '../domain/issue.ts';
import type { SourceTree } from '../ports/source.ts';
import type { Run } from '../ports/store.ts';
import type { Redactor } from '../redact/redactor.ts';

/** Where projects keep what those who change the code should know, in the order of their weight. */
const INSTRUCTION_FILES = ['AGENTS.md', 'CLAUDE.md', '.github/copilot-instructions.md', 'CONTRIBUTING.md'];
/** More of a file is not shown to the model anyway. */
const MAX_INSTRUCTIONS = 8_000;

export interface BriefGround {
  readonly project: string;
  readonly facts: Conclusion;
  readonly tree: SourceTree;
  readonly redactor: Redactor;
}

export async function briefOf(run: Run, ground: BriefGround, signal: AbortSignal): Promise<Brief> {
  const { facts, project } = ground;
  return {
    project,
    revision: facts.analysis.revision,
    report: run.text,
    facts: factsText(facts),
    suspects: facts.analysis.suspects,
    instructions: await instructionsOf(ground, signal),
  };
}

/** Steps bear the numbers by which they can be cited. The ranking stands in the brief as a part of its own. */
function factsText({ investigationSteps }: Conclusion): string {
  return investigationSteps
    .flatMap(({ action, result, analysis }, index) =>
      action.startsWith('rank suspects') ? [] : [`[step ${index + 1}] ${action}\n${shown(result)}\n=> ${analysis}`],
    )
    .join('\n');
}

/** The expressions of our own searches say nothing to a model. */
function shown(result: string): string {
  return result
    .split('\n')
    .filter((line) => !line.startsWith('expression: '))
    .join('\n');
}

async function instructionsOf({ tree, redactor }: BriefGround, signal: AbortSignal): Promise<Brief['instructions']> {
  const files = new Set((await tree.files(signal)).entries.map(({ path }) => path));
  const instructions: { path: string; text: string }[] = [];
  for (const path of INSTRUCTION_FILES.filter((each) => files.has(each))) {
    const read = await tree.read(path, {}, signal);
    if (read.kind !== 'text') continue;
    instructions.push({ path, text: await redactor.redact(read.text.slice(0, MAX_INSTRUCTIONS)) });
  }
  return instructions;
}
