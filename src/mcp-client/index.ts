// Monitoring systems, asked through their MCP servers.
export { parseMonitoringConfig } from './config.ts';
export { examineServers, type Monitoring, openMonitoring } from './monitoring.ts';
