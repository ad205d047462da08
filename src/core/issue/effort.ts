// What an answer took, as every surface says it: the time from the request to the answer, and the cost. Pure.
import { type Analysis, SCRIPTED_MODEL } from './issue.ts';

/** To the second; of hours, to the minute. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 1) return 'under 1 s';
  if (whole < 90) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 90 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** US dollars, as precise as their size needs. */
export function formatDollars(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.000_05) return 'under $0.0001';
  return usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

export function describeCost({
  model,
  usage: { costUsd },
}: Pick<Analysis, 'model'> & { readonly usage: Cost }): string {
  if (model === null) return '$0 (no model)';
  if (model === SCRIPTED_MODEL) return '$0 (script)';
  return costUsd === null ? 'cost unknown' : formatDollars(costUsd);
}

type Cost = Pick<Analysis['usage'], 'costUsd'>;
