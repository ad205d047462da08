// What work waits for that is no fault of ours: the operator's pause, GitHub, the model's endpoint. Read at the scrape, from memory.
import { Gauge, type Registry } from 'prom-client';
import { GITHUB_HOLDS, type Hold, type Holds, MODEL_HOLDS } from '../core/holds.ts';

export interface Waits {
  readonly holds: Pick<Holds, 'standing'>;
  readonly paused: () => boolean;
  readonly now: () => Date;
}

/** How many are held and for how long, not who: the name of an installation is not a metric's to tell. */
export function waitGauges(registry: Registry, { holds, paused, now }: Waits): void {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `causeway_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  const of = (kind: string) => holds.standing().filter(({ name }) => name.startsWith(kind));
  gauge('paused', '1 while the operator has paused the service, else 0.', () => (paused() ? 1 : 0));
  gauge(
    'github_held_holders',
    'Installations (and the App itself) that GitHub wants to hear nothing from now.',
    () => new Set(of(GITHUB_HOLDS).map(holderOf)).size,
  );
  gauge('github_held_seconds', 'Until the last of them may ask GitHub again; 0: none is held.', () =>
    secondsLeft(of(GITHUB_HOLDS), now()),
  );
  gauge('model_held_seconds', 'Until the endpoint of the model may be asked again; 0: now.', () =>
    secondsLeft(of(MODEL_HOLDS), now()),
  );
}

/** Without the resource: one installation may be held for several. */
function holderOf({ name }: Hold): string {
  return /^github (?:app|installation \d+)/.exec(name)?.[0] ?? name;
}

function secondsLeft(holds: readonly Hold[], now: Date): number {
  return Math.max(0, ...holds.map(({ until }) => (until.getTime() - now.getTime()) / 1_000));
}
