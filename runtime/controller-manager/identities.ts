import type { Platform } from '../kernel/descriptors/platform.ts'

/** The user that a controller manager is. */
export function managerUser({ prefix }: Pick<Platform, 'prefix'>): string {
  return `system:${prefix}-controller-manager`
}

/** The namespace of the service accounts of controllers. */
export function accountNamespace({ prefix }: Pick<Platform, 'prefix'>): string {
  return `${prefix}-system`
}

/** The user that a controller is where each acts as its own service account. */
export function controllerUser(account: string, platform: Pick<Platform, 'prefix'>): string {
  return `system:serviceaccount:${accountNamespace(platform)}:${account}`
}
