// Colours, or none: one set of functions for both, so that rendering need not ask.
import { styleText } from 'node:util';

type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

export function style(colour: boolean): Style {
  const paint =
    (format: keyof Style): Paint =>
    (text) =>
      colour && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    cyan: paint('cyan'),
  };
}
