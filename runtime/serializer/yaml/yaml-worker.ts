/** The code of the worker thread: reading YAML strictly can take a second for each megabyte. */
import { parentPort } from 'node:worker_threads'
import { invariant } from '../../kernel/errors/invariant.ts'
import { DecodeError, type TextPosition } from '../format/decoded.ts'
import { encodeJson } from '../json/encode-json.ts'
import { readYaml } from './yaml-reader.ts'

/** The message that answers a text: JSON and duplicate keys, or the parts of a DecodeError. */
export type YamlOutcome =
  | { readonly json: string; readonly duplicates: readonly string[] }
  | { readonly why: string; readonly at: TextPosition | undefined }

invariant(parentPort !== null, 'yaml-worker runs in a worker thread')
const port = parentPort
port.on('message', (text: string) => port.postMessage(outcomeOf(text)))

/** Errors are sent as data: an instance of DecodeError would arrive as a plain Error. */
function outcomeOf(text: string): YamlOutcome {
  try {
    const { value, duplicates } = readYaml(text)
    return { json: Buffer.from(encodeJson(value)).toString(), duplicates }
  } catch (error) {
    if (error instanceof DecodeError) return { why: error.why, at: error.at }
    const why = error instanceof RangeError ? 'nested too deeply' : String(error)
    return { why, at: undefined }
  }
}
