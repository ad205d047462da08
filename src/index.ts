// The Probot app function, where Probot's own tools look for it: `probot receive -e issues -p file.json ./src/index.ts`.
import type { Probot } from 'probot';
import { openProbotApp } from './app/probot-app.ts';

/** Opens the house by the settings of the service and registers its handlers; jobs are worked on until the process ends. */
export default async function causeway(app: Probot): Promise<void> {
  (await openProbotApp())(app);
}
