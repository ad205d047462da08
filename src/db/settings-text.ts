// Settings as they are stored: what differs from the defaults, in one order, so that equal ones are equal texts.
import { DEFAULT_SETTINGS, type InvestigationSettings } from '../core/settings.ts';

const DEFAULTS = new Map(Object.entries(DEFAULT_SETTINGS).map(([name, value]) => [name, canonical(value)]));

export function settingsText(settings: InvestigationSettings): string {
  const own = Object.entries(settings).filter(([name, value]) => canonical(value) !== DEFAULTS.get(name));
  return canonical(Object.fromEntries(own));
}

export function settingsFrom(text: string): InvestigationSettings {
  const own: Partial<InvestigationSettings> = JSON.parse(text);
  return { ...DEFAULT_SETTINGS, ...own };
}

function canonical(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, part]): [string, unknown] => [name, sorted(part)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
