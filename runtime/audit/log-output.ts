import type { Log } from '../observe/observe.ts'
import { createBatches } from './batches.ts'
import { type AuditFormat, eventLine, legacyLine } from './event.ts'
import { type LineSink, LogFile, type LogFileOptions } from './log-file.ts'
import { type AuditOutput, fittingText, type OutputContext, type OutputOptions } from './output.ts'

/** An audit log: a line for each record, in mode `blocking` unless it says otherwise. */
export interface AuditLogOptions extends Partial<OutputOptions> {
  /** A file, or what prints a line. */
  readonly output: LogFileOptions | ((line: string) => void)
  /** Default `json`. */
  readonly format?: AuditFormat
}

/** Lines go out as soon as they can. */
const defaultBatch = { bufferEvents: 10_000, maxEvents: 1, maxWaitMs: 0 }

/** Bytes of lines that go out in one write. */
const writeBytes = 1024 * 1024

/**
 * Opens an audit log. In mode `blocking` a slow disk slows the server.
 *
 * @throws the error of node:fs if its file cannot be opened.
 */
export function openLogOutput(
  { output, format = 'json', ...given }: AuditLogOptions,
  context: OutputContext,
): AuditOutput {
  const options = { mode: 'blocking', batch: defaultBatch, ...given } as const
  const { clock, log, lost } = context
  const { apiVersion = context.apiVersion } = options
  const sink = typeof output === 'function' ? printingSink(output) : new LogFile(output, clock)
  const add = options.mode === 'batch' ? undefined : writingNow(sink, context)
  const batches = createBatches(
    { maxBytes: writeBytes, ...options.batch },
    {
      order: 'one by one',
      send: writingLater(sink, context),
      onFull(first) {
        lost('buffered', 1)
        if (first) log.error('audit records are lost: too many wait to be written', {})
      },
    },
    clock,
  )
  return {
    record(event) {
      const line = fittingText(
        event,
        (one) => (format === 'legacy' ? legacyLine(one) : eventLine(one, apiVersion)),
        options,
        context,
      )
      return line === undefined || (add ?? batches.add)(line)
    },
    async stop() {
      await batches.stop()
      await sink.close()
    },
  }
}

/** Writes each line before it returns. */
function writingNow(sink: LineSink, { log, lost }: OutputContext): (line: string) => boolean {
  const outage = outageReporter(log)
  return (line) => {
    try {
      sink.writeNow(line)
      outage.recovered()
      return true
    } catch (error) {
      outage.failed(error)
      lost('log', 1)
      return false
    }
  }
}

function writingLater(
  sink: LineSink,
  { log, lost }: OutputContext,
): (lines: readonly string[]) => Promise<void> {
  const outage = outageReporter(log)
  return async (lines) => {
    try {
      await sink.write(lines.join(''))
      outage.recovered()
    } catch (error) {
      outage.failed(error)
      lost('log', lines.length)
    }
  }
}

/** Reports that the log cannot be written, once for as long as that lasts, and that it can be written again. */
function outageReporter(log: Log): {
  readonly failed: (error: unknown) => void
  readonly recovered: () => void
} {
  let reported = false
  return {
    failed(error) {
      if (!reported) log.error('audit records are lost: the log cannot be written', {}, error)
      reported = true
    },
    recovered() {
      if (reported) log.info('the audit log can be written again', {})
      reported = false
    },
  }
}

/** Prints each line without its line end, which what prints adds itself. */
function printingSink(print: (line: string) => void): LineSink {
  const writeNow = (text: string): void => print(text.slice(0, -1))
  return {
    writeNow,
    write: async (text) => writeNow(text),
    close: async () => {},
  }
}
