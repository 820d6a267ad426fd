/** The controllers that a module exports. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { KeyController, ManagerOptions } from '../../../runtime/reconcile/reconcile.ts'

/** What cannot be packaged. */
export class PackageError extends Error {}

/** A controller of either sort. */
export type DeclaredController = ManagerOptions['controllers'][number]

/**
 * The controllers among the exports of a module: values, and lists of them. The module is run: it must not start the program.
 *
 * @throws PackageError if it cannot be loaded, or exports none.
 */
export async function controllersOf(file: string): Promise<readonly DeclaredController[]> {
  const exported = await load(file)
  const found = Object.values(exported).flat().filter(isController)
  if (found.length > 0) return [...new Set(found)]
  const names = Object.keys(exported)
  const what = names.length === 0 ? 'nothing' : names.join(', ')
  throw new PackageError(`${file} exports no controller; it exports ${what}`)
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

function isController(value: unknown): value is DeclaredController {
  if (typeof value !== 'object' || value === null) return false
  const { name, reconcile } = value as Partial<KeyController>
  return typeof name === 'string' && typeof reconcile === 'function'
}
