// Room on the disk, as the doors ask for it before they take in what must then be kept.

/** "" where there is room; else, for people, why nothing is taken in and what the operator must do. Never throws. */
export type AskRoom = () => Promise<string>;

/** Seconds after which to try again: nobody makes room within a few. */
export const ROOM_RETRY_AFTER = 60;
