// `doctor`: what each check found, one line a finding with its repair below, or as JSON for machines.
import { type ExitCode, type Io, printableLine, type Style, style } from './terminal.ts';

/** `warn`: it works, but not as it might; `fail`: something does not work. */
type FindingStatus = 'ok' | 'warn' | 'fail';

export interface Finding {
  /** Name of the check, such as `disk`. */
  readonly check: string;
  readonly status: FindingStatus;
  /** What was found, in one line. */
  readonly found: string;
  /** What puts it right; "" where all is well. */
  readonly repair: string;
}

/** Prints all findings; 1 where one of them is `fail`. */
export function tellFindings(
  findings: readonly Finding[],
  { io, json }: { readonly io: Pick<Io, 'out' | 'colour'>; readonly json: boolean },
): ExitCode {
  const isWell = findings.every(({ status }) => status !== 'fail');
  if (json) io.out(`${JSON.stringify({ ok: isWell, findings }, null, 2)}\n`);
  else io.out(`${findings.map((each) => lineOf(each, style(io.colour.out))).join('')}${summary(findings)}\n`);
  return isWell ? 0 : 1;
}

function lineOf({ check, status, found, repair }: Finding, paint: Style): string {
  const colour = { ok: paint.green, warn: paint.yellow, fail: paint.red }[status];
  const line = `${colour(status.padEnd(4))}  ${check.padEnd(13)}  ${printableLine(found)}\n`;
  return repair === '' ? line : `${line}${' '.repeat(21)}→ ${printableLine(repair)}\n`;
}

function summary(findings: readonly Finding[]): string {
  const count = (wanted: FindingStatus) => findings.filter(({ status }) => status === wanted).length;
  const [failed, warned] = [count('fail'), count('warn')];
  if (failed + warned === 0) return 'All checks passed.';
  return `${failed} failed, ${warned} ${warned === 1 ? 'warning' : 'warnings'}, ${count('ok')} ok.`;
}
