// Signs that the machine or a service ended a step, not the code; they count only where they are what ended it.
import type { InfrastructureFault } from './evidence.ts';
import type { Cause } from './find-cause.ts';
import { INFRASTRUCTURE_SIGNS, type InfrastructureSign } from './infrastructure-signs.ts';
import type { PlainLine } from './plain-lines.ts';

interface FoundFault extends InfrastructureFault {
  /** Index of the line. */
  readonly at: number;
}

const MAX_LINE = 300;
/** Lines between a fault and the end that it brought about. */
const NEAR = 80;

/** The fault that ended the step; null: none did. A test that failed, or a line that does not compile, is the code's own. */
export function findFault(lines: readonly PlainLine[], cause: Cause): FoundFault | null {
  const end = cause.step?.to ?? lines.length;
  const faults = cause.telling.flatMap(({ at }) => {
    const line = lines[at];
    const sign = line ? signFor(line, cause, end - at) : undefined;
    return line && sign ? [{ at, sign, text: line.text }] : [];
  });
  const first = faults[0];
  if (!first || isCodesOwn(cause, new Set(faults.map(({ at }) => at)))) return null;
  return { what: first.sign.what, line: first.text.trim().slice(0, MAX_LINE), at: first.at };
}

function signFor(line: PlainLine, cause: Cause, beforeEnd: number): InfrastructureSign | undefined {
  const { text } = line;
  return INFRASTRUCTURE_SIGNS.find(
    (sign) =>
      sign.pattern.test(text) && sign.by?.test(text) !== false && isBelieved(sign, line, { cause, beforeEnd }),
  );
}

function isBelieved(
  { said }: InfrastructureSign,
  { mark }: PlainLine,
  { cause, beforeEnd }: { readonly cause: Cause; readonly beforeEnd: number },
): boolean {
  if (said === 'runner') return mark === 'error' || beforeEnd <= NEAR;
  if (said === 'machine') return true;
  return beforeEnd <= NEAR && (said === 'fetcher' || cause.step?.phase === 'setup');
}

/** Whether a tool found fault with the code besides. */
function isCodesOwn(cause: Cause, faults: ReadonlySet<number>): boolean {
  return cause.telling.some(({ kind, at, isHeading }) => kind === 'verdict' && !isHeading && !faults.has(at));
}
