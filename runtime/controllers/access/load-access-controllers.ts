/** What keeps roles and bindings, loaded where rights come from them. */
export const loadAccessControllers = () => import('./access.ts')
