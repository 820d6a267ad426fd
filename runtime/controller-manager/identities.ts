import type { UserInfo } from '../kernel/auth/user-info.ts'
import type { Platform } from '../kernel/descriptors/platform.ts'

/** The user that a controller manager is. */
export function managerUser({ prefix }: Pick<Platform, 'prefix'>): UserInfo {
  return { username: `system:${prefix}-controller-manager`, groups: ['system:authenticated'] }
}

/** The namespace of the service accounts of controllers. */
export function accountNamespace({ prefix }: Pick<Platform, 'prefix'>): string {
  return `${prefix}-system`
}

/** The user that a controller is where each acts as its own service account. */
export function controllerUser(account: string, platform: Pick<Platform, 'prefix'>): UserInfo {
  const namespace = accountNamespace(platform)
  return {
    username: `system:serviceaccount:${namespace}:${account}`,
    groups: [
      'system:serviceaccounts',
      `system:serviceaccounts:${namespace}`,
      'system:authenticated',
    ],
  }
}
