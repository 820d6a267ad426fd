/** What keeps other servers, loaded where an object names one. */
export const loadRemoteControllers = () => import('./api-service-availability.ts')
