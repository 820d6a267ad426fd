/** The controllers and webhooks that a module exports. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { KeyController, ManagerOptions } from '../../../runtime/reconcile/reconcile.ts'
import type { AnyAdmissionWebhook } from '../../../runtime/webhook-server/webhook-server.ts'

/** What cannot be packaged. */
export class PackageError extends Error {}

/** A controller of either sort. */
export type DeclaredController = ManagerOptions['controllers'][number]

/** What an operator does. */
export interface DeclaredWork {
  readonly controllers: readonly DeclaredController[]
  readonly webhooks: readonly AnyAdmissionWebhook[]
}

/**
 * The controllers and webhooks among the exports of a module: values, and lists of them. The module is run: it must not start the
 * program.
 *
 * @throws PackageError if it cannot be loaded, or exports none.
 */
export async function declaredWork(file: string): Promise<DeclaredWork> {
  const exported = await load(file)
  const values: readonly unknown[] = [...new Set(Object.values(exported).flat())]
  const [controllers, webhooks] = [values.filter(isController), values.filter(isWebhook)]
  if (controllers.length + webhooks.length > 0) return { controllers, webhooks }
  const names = Object.keys(exported)
  const what = names.length === 0 ? 'nothing' : names.join(', ')
  throw new PackageError(`${file} exports no controller and no webhook; it exports ${what}`)
}

async function load(file: string): Promise<object> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as object
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      throw new PackageError(`${file}: name the compiled module, such as dist/controllers.js`)
    }
    throw new PackageError(`${file}: ${message}`)
  }
}

function isWebhook(value: unknown): value is AnyAdmissionWebhook {
  if (typeof value !== 'object' || value === null) return false
  const { name, mutate, validate } = value as Partial<AnyAdmissionWebhook>
  return typeof name === 'string' && [mutate, validate].some((one) => typeof one === 'function')
}

function isController(value: unknown): value is DeclaredController {
  if (typeof value !== 'object' || value === null) return false
  const { name, reconcile } = value as Partial<KeyController>
  return typeof name === 'string' && typeof reconcile === 'function'
}
