// The log as people read it on a terminal; anywhere else it stays JSON, one object a line.
import { printable, printableLine } from './printable.ts';
import { style } from './style.ts';

const INDENT = '    ';

/** A destination for `createLog` that turns each line of JSON into a time of day, a level, the message and what belongs to it. */
export function readableLog(write: (text: string) => void, colour: boolean): { write(line: string): void } {
  return { write: (line) => write(readableLine(line, colour)) };
}

function readableLine(line: string, colour: boolean): string {
  const paint = style(colour);
  const { level, time, msg, err, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const name = String(level);
  const tint = name === 'warn' ? paint.yellow : name === 'error' || name === 'fatal' ? paint.red : paint.dim;
  const details = Object.entries(rest).flatMap(([key, value]) => (isEmpty(value) ? [] : `${key}=${word(value)}`));
  const parts = [
    paint.dim(timeOfDay(time)),
    tint(name.padEnd(5)),
    printableLine(String(msg ?? '')),
    paint.dim(details.join(' ')),
  ];
  return `${parts.filter((part) => part !== '').join(' ')}\n${fault(err)}`;
}

function timeOfDay(time: unknown): string {
  const moment = new Date(String(time));
  return [moment.getHours(), moment.getMinutes(), moment.getSeconds()]
    .map((number) => String(number).padStart(2, '0'))
    .join(':');
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function word(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return printableLine(/\s/.test(text) && typeof value === 'string' ? JSON.stringify(text) : text);
}

/** The stack, which begins with the message, on lines of its own. */
function fault(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as Readonly<Record<string, unknown>>;
  const text = printable(String(stack ?? message ?? JSON.stringify(err)));
  return `${text.replace(/^/gm, INDENT)}\n`;
}
