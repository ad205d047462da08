// `demo`: a real bug in the small repository that ships with Causeway, first without a model, then with one.
import type { ProjectSource } from '../core/project.ts';
import { type InvestigateDeps, investigate } from './analyse.ts';
import type { DemoCommand } from './command.ts';
import { type ExitCode, type Io, type Launcher, printableLine, reportFault, style } from './terminal.ts';

export interface DemoDeps {
  /** Opens an investigation that asks no model. */
  readonly facts: InvestigateDeps;
  /** Opens one that asks the configured model, or plays the script that ships with the demo. */
  readonly answer: InvestigateDeps;
  /** Name of the configured model; null: the script. */
  readonly model: string | null;
  readonly demo: {
    /** The repository, out of its bundle. */
    readonly source: ProjectSource;
    /** The text of `demo/report.md`. */
    readonly report: string;
  };
  readonly launcher: Launcher;
}

const INTRODUCTION = `corner-shop is a small shop server of ten commits. Version 1.3.0 broke something.
This is what its operator reported:
`;

const FACTS = '1 of 2: what the source alone shows, without a language model';

function answerTitle(model: string | null): string {
  if (model !== null) return `2 of 2: with the language model ${printableLine(model)}`;
  return `2 of 2: with a language model
The model's answers come from a script that ships with Causeway. Everything else
is real: what it looks up, the checks of its quotes, and the patch.`;
}

function whatNow({ anywhere }: Launcher): string {
  return `Now one of your own:
  cd YOUR-REPOSITORY && ${anywhere} analyse "what went wrong, with the stack trace"
`;
}

/** Runs the demo; the report and the hints are on standard error, the answers on standard output (with `--json` the second alone). */
export async function demo(command: DemoCommand, io: Io, deps: DemoDeps, signal: AbortSignal): Promise<ExitCode> {
  const paint = style(io.colour.err);
  const quoted = deps.demo.report
    .trim()
    .replace(/^/gm, '  | ')
    .replace(/(?<! ) +$/gm, '');
  io.err(`${INTRODUCTION}\n${paint.dim(quoted)}\n\n`);
  const subject = {
    text: deps.demo.report,
    source: deps.demo.source,
    isOwn: true,
    revision: '',
    repositoryName: 'corner-shop',
  };
  try {
    let stepsShown = 0;
    if (!command.json) {
      io.err(`${paint.bold(FACTS)}\n\n`);
      const answer = { json: false, patchFile: null };
      stepsShown = (await investigate({ subject, answer }, io, deps.facts, signal)).steps;
      io.out('\n');
      io.err(`\n${paint.bold(answerTitle(deps.model))}\n\n`);
    }
    const { code } = await investigate({ subject, answer: command, stepsShown }, io, deps.answer, signal);
    if (code === 0) io.err(`\n${whatNow(deps.launcher)}`);
    return code;
  } catch (error) {
    return reportFault(error, io, signal);
  }
}
