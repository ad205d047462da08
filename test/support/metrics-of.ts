// What /metrics says, read as Prometheus reads it.

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of Prometheus' text format; throws at a line that is none. */
export function samplesOf(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const parts = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (parts === null) throw new Error(`no sample: ${line}`);
      const [, name = '', labels = '', value = ''] = parts;
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', of = '']) => [key, of]);
      return { name, labels: Object.fromEntries(pairs), value: value === 'Nan' ? Number.NaN : Number(value) };
    });
}

/** The sum of the samples of that name that have these labels; null where there is none. */
export function sum(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | null {
  const wanted = Object.entries(labels);
  const found = samplesOf(text).filter(
    (sample) => sample.name === name && wanted.every(([key, value]) => sample.labels[key] === value),
  );
  return found.length === 0 ? null : found.reduce((all, { value }) => all + value, 0);
}
