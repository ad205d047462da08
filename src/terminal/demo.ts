// `demo`: the investigation of a real bug in the small repository that ships with Causeway.
import type { ProjectSource } from '../domain/project.ts';
import { type InvestigateDeps, investigate } from './analyse.ts';
import type { DemoCommand } from './command.ts';
import { reportFault } from './exit-code.ts';
import type { ExitCode, Io } from './io.ts';
import type { Launcher } from './launcher.ts';
import { style } from './style.ts';

export interface DemoDeps extends InvestigateDeps {
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

function whatNow({ anywhere }: Launcher): string {
  return `Now one of your own:
  cd YOUR-REPOSITORY && ${anywhere} analyse "what went wrong, with the stack trace"
`;
}

/** Runs the demo; the report and the hints are on standard error, the answer on standard output. */
export async function demo(command: DemoCommand, io: Io, deps: DemoDeps, signal: AbortSignal): Promise<ExitCode> {
  const paint = style(io.colour.err);
  const quoted = deps.demo.report.trim().replace(/^/gm, '  | ').replace(/ +$/gm, '');
  io.err(`${INTRODUCTION}\n${paint.dim(quoted)}\n\n`);
  const subject = {
    text: deps.demo.report,
    source: deps.demo.source,
    isOwn: true,
    revision: '',
    repositoryName: 'corner-shop',
  };
  try {
    const code = await investigate({ subject, answer: command }, io, deps, signal);
    io.err(`\n${whatNow(deps.launcher)}`);
    return code;
  } catch (error) {
    return reportFault(error, io, signal);
  }
}
