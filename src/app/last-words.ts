// What the service says of a fault that nobody caught: where it was, never what was in it.

/** One line of JSON: the kind and place of the fault. Its message is left out, since it may quote a report. */
export function lastWords(error: unknown, now: Date): string {
  const fault = error instanceof Error ? error : new Error('not an error');
  const at = (fault.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const code = 'code' in fault ? String(fault.code) : '';
  const words = { level: 'fatal', time: now.toISOString(), type: fault.name, code, at: at.map((line) => line.trim()) };
  return `${JSON.stringify({ ...words, msg: 'uncaught fault: ending; what was accepted is stored and goes on at the next start' })}\n`;
}
