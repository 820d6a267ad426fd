import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isObject } from '../../../runtime/kernel/values/json.ts'

/** How far a resource came. */
export interface ResourceProgress {
  /** The version that its definition stores in; empty for a resource that none defines. */
  readonly version: string
  /** The last object that is done, with all before it. */
  after: string
  seen: number
  written: number
  /** Objects that could not be patched. */
  failed: number
  readonly done?: boolean
}

/** How far a run came, so that another one can go on there. */
export interface Progress {
  /** What an earlier run came to. */
  of(resource: string): ResourceProgress | undefined
  /** Is on the disk once it resolves, also if the process ends then. */
  save(resource: string, progress: ResourceProgress): Promise<void>
  /** Forgets everything: the run is through. */
  end(): Promise<void>
}

/** Reads what an earlier run left; without a file, nothing is kept. @throws Error if the file holds something else. */
export async function openProgress(file: string | undefined): Promise<Progress> {
  const known = file === undefined ? new Map() : await readProgress(file)
  return {
    of: (resource) => known.get(resource),
    async save(resource, progress) {
      known.set(resource, { ...progress })
      if (file === undefined) return
      const draft = `${file}.part-${process.pid}`
      await writeFile(draft, JSON.stringify(Object.fromEntries(known)), { flush: true } as object)
      await rename(draft, file)
    },
    async end() {
      if (file !== undefined) await rm(file, { force: true })
    },
  }
}

async function readProgress(file: string): Promise<Map<string, ResourceProgress>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  const resources = Object.entries(parsed(text) ?? {})
  const isProgress = (one: unknown): boolean =>
    isObject(one) && typeof one.after === 'string' && typeof one.version === 'string'
  if (parsed(text) === undefined || !resources.every(([, one]) => isProgress(one))) {
    throw new Error(`--progress ${file}: holds something else: name a file that is not there`)
  }
  return new Map(resources as [string, ResourceProgress][])
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
