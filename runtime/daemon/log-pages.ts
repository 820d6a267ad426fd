import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type DaemonPage, isReading, sendAway, sendPage } from './daemon-page.ts'
import { sendText } from './endpoint-context.ts'

const root = '/logs'

/**
 * The files below a folder under `/logs/`, and lists of its folders (H-13). What is asked for is looked up step by step among the names that
 * are there, so that no path is made of a request; links lead nowhere.
 */
export function logPages(folder: string): DaemonPage {
  return async function logPages(ctx, next) {
    if (ctx.path === root) return sendAway(ctx, 301, 'logs/')
    if (!ctx.path.startsWith(`${root}/`)) return next()
    if (!isReading(ctx)) return
    const steps = ctx.path.slice(root.length + 1).split('/')
    const isList = steps.at(-1) === ''
    const found = await lookUp(folder, isList ? steps.slice(0, -1) : steps)
    if (found === undefined) return sendText(ctx, 404, '404 page not found\n')
    if (found.isFolder && !isList) return sendAway(ctx, 301, `${steps.at(-1)}/`)
    if (found.isFolder) return sendPage(ctx, listOf(found.names))
    if (isList) return sendText(ctx, 404, '404 page not found\n')
    sendText(ctx, 200, '')
    ctx.body = createReadStream(found.path)
  }
}

type Found =
  | { readonly isFolder: true; readonly names: readonly string[] }
  | { readonly isFolder: false; readonly path: string }

/** What stands at the end of the steps; undefined where nothing does, or nothing that may be read. */
async function lookUp(folder: string, steps: readonly string[]): Promise<Found | undefined> {
  let path = folder
  try {
    for (const [at, step] of steps.entries()) {
      const name = decodeURIComponent(step)
      const entry = (await readdir(path, { withFileTypes: true })).find((one) => one.name === name)
      if (entry?.isFile() && at === steps.length - 1) {
        return { isFolder: false, path: join(path, entry.name) }
      }
      if (!entry?.isDirectory()) return undefined
      path = join(path, entry.name)
    }
    const entries = await readdir(path, { withFileTypes: true })
    const shown = entries.filter((one) => one.isFile() || one.isDirectory())
    const names = shown.map((one) => (one.isDirectory() ? `${one.name}/` : one.name))
    return { isFolder: true, names: names.sort() }
  } catch {
    return undefined
  }
}

function listOf(names: readonly string[]): string {
  const lines = names.map((name) => {
    const path = name.split('/').map(encodeURIComponent).join('/')
    return `<a href="./${path}">${escaped(name)}</a>\n`
  })
  return `<!doctype html>\n<pre>\n${lines.join('')}</pre>\n`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (one) => entities[one] ?? one)
}
