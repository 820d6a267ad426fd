/** What says that this server is there and what it keeps track of, loaded where the server has a name. */
export const loadIdentityControllers = () => import('./identity.ts')
