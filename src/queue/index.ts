// Durable jobs: a table on SQLite, pg-boss on PostgreSQL.
export { createBossQueue } from './boss-queue.ts';
export { createEmbeddedQueue } from './embedded-queue.ts';
export type { Lane } from './job-runner.ts';
export { createJobTable } from './job-table.ts';
export { type Boss, openBoss } from './open-boss.ts';
