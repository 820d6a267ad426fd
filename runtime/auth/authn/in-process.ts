import type { UserInfo } from '../../kernel/auth/user-info.ts'

/** The server itself: the user of requests of the same process, and of writes that no request has asked for. */
export const inProcessUser: UserInfo = {
  username: 'system:apiserver',
  groups: ['system:masters', 'system:authenticated'],
}
