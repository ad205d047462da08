// Free space on the disk, checked before anything is accepted that must be stored.

/** Less free space than the service needs; in bytes. */
export interface Shortage {
  readonly free: number;
  readonly required: number;
}

/** Null where there is enough space. Never throws. */
export type FindShortage = () => Promise<Shortage | null>;

/** Seconds until a caller should try again. */
export const NO_SPACE_RETRY_AFTER = 60;

/** Such as "19 MiB free, 100 MiB required". */
export function describeSpace({ free, required }: Shortage): string {
  return `${formatSize(free)} free, ${formatSize(required)} required`;
}

/** For a caller whose report was refused. */
export function describeNoSpace(shortage: Shortage): string {
  return `Nothing was accepted: not enough disk space (${describeSpace(shortage)}). Try again later; the operator can see this in the log.`;
}

/** Rounded down, so that a shortage never reads as enough. */
export function formatSize(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const level = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** level;
  return `${value < 10 && level > 0 ? Math.floor(value * 10) / 10 : Math.floor(value)} ${units[level]}`;
}
