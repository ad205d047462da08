// What the service says of a fault that nobody caught: where it was, never what was in it.
import { withoutSecrets } from '../log.ts';

/** Names and codes as programs give them (`ERR_X`, `lease_lost`). Anything else may come from outside: a model's endpoint gives codes, too. */
const NAME = /^(?:[A-Za-z]{1,60}|[A-Z][A-Z0-9_]{1,60}|[a-z_]{1,60})$/;

/** One line of JSON: the kind and place of the fault. Its message is left out, since it may quote a report. */
export function lastWords(error: unknown, now: Date): string {
  const fault = error instanceof Error ? error : new Error('not an error');
  const code = 'code' in fault ? String(fault.code) : '';
  const words = {
    level: 'fatal',
    time: now.toISOString(),
    type: named(fault.name),
    code: named(code),
    at: places(fault),
  };
  const line = JSON.stringify({
    ...words,
    msg: 'uncaught fault: ending; what was accepted is stored and goes on at the next start',
  });
  return `${withoutSecrets(line)}\n`;
}

function named(text: string): string {
  return NAME.test(text) ? text : '';
}

/**
 * The lines of the stack behind its head. The head holds the message, and a message may hold a report, whose own stack looks like ours: where the
 * head cannot be told from the places (the message was changed since), there are none.
 */
function places({ stack = '', message }: Error): readonly string[] {
  const ending = message === '' ? '\n' : `: ${message}\n`;
  const end = stack.indexOf(ending);
  if (end === -1 || !/^[\w$. [\]-]*$/.test(stack.slice(0, end))) return [];
  const lines = stack.slice(end + ending.length).split('\n');
  return lines.every((line) => /^\s+at /.test(line)) ? lines.map((line) => line.trim()) : [];
}
