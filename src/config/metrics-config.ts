// Where figures for operators can be read, if anywhere.
import type { Reader } from './reader.ts';

export interface MetricsConfig {
  /** A port of its own; 0: any free one; null: none. */
  readonly port: number | null;
  /** What that port binds to. */
  readonly host: string;
  /** Who has it may read them, on the main port too; null: the port of its own is open, and the main one says nothing. */
  readonly token: string | null;
}

const SHORTEST_TOKEN = 16;

export function metricsConfig(read: Reader): MetricsConfig {
  const token = read.secret('METRICS_TOKEN');
  if (token !== null && token.length < SHORTEST_TOKEN) {
    read.fault(
      `METRICS_TOKEN is too short: give at least ${SHORTEST_TOKEN} characters ("openssl rand -hex 32" makes some).`,
    );
  }
  const hasPort = read.text('METRICS_PORT', '') !== '';
  const port = hasPort ? read.integer('METRICS_PORT', 0, { from: 0, to: 65_535 }) : null;
  return { port, host: read.text('METRICS_HOST', '127.0.0.1'), token };
}
