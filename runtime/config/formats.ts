/** Formats of texts that constraints ask for. */
import { isIP } from 'node:net'
import type { TextFormat } from '../kernel/constraints.ts'
import { parseDuration } from '../kernel/duration.ts'
import { parseQuantity } from '../kernel/quantity.ts'

/** What a text must be, for one that is not of the format; undefined for one that is. */
export function formatProblem(format: TextFormat, text: string): string | undefined {
  const { fits, wanted } = formats[format]
  return fits(text) ? undefined : `must be ${wanted}`
}

interface Format {
  readonly fits: (text: string) => boolean
  readonly wanted: string
}

const formats: Readonly<Record<TextFormat, Format>> = {
  'certificate-key': {
    fits: isCertificateKey,
    wanted: 'CERT,KEY, with domains after a colon if need be',
  },
  cidrs: {
    fits: (text) => ofEachFamily(text, isCidr),
    wanted: 'an address range such as 10.0.0.0/16, or one of each family',
  },
  cpus: { fits: isCpuList, wanted: 'a list of CPUs such as 0-3,5' },
  duration: {
    fits: (text) => parseDuration(text) !== undefined,
    wanted: 'a duration such as 30s or 1h0m0s',
  },
  ip: { fits: (text) => isIP(text) !== 0, wanted: 'an IP address' },
  ips: {
    fits: (text) => ofEachFamily(text, (part) => isIP(part)),
    wanted: 'an IP address, or one of each family',
  },
  quantity: {
    fits: (text) => parseQuantity(text)?.negative === false,
    wanted: 'a quantity of 0 or more, such as 100, 1.5G or 256Mi',
  },
  release: { fits: (text) => /^[0-9]{1,4}\.[0-9]{1,4}$/.test(text), wanted: 'MAJOR.MINOR' },
  threshold: { fits: isThreshold, wanted: 'a quantity, or a percentage up to 100%' },
}

/** One text, or two between a comma of which `familyOf` says that they are of different families; 0 is none. */
function ofEachFamily(text: string, familyOf: (part: string) => number): boolean {
  const families = text.split(',', 3).map(familyOf)
  return families.length <= 2 && !families.includes(0) && families[0] !== families[1]
}

function isCidr(text: string): number {
  const [, address = '', length = ''] =
    /^([0-9a-fA-F.:]{2,45})\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? []
  const family = isIP(address)
  return Number(length) <= (family === 4 ? 32 : 128) ? family : 0
}

function isCpuList(text: string): boolean {
  return text.split(',').every((part) => {
    const [, from, to = from] = /^([0-9]{1,5})(?:-([0-9]{1,5}))?$/.exec(part) ?? []
    return from !== undefined && Number(from) <= Number(to)
  })
}

function isThreshold(text: string): boolean {
  const share = /^([0-9]{1,3}(?:\.[0-9]{1,9})?)%$/.exec(text)?.[1]
  return share === undefined ? parseQuantity(text)?.negative === false : Number(share) <= 100
}

function isCertificateKey(text: string): boolean {
  const [files = '', domains] = text.split(':', 2)
  const [certificate = '', key = '', more] = files.split(',').map((part) => part.trim())
  const named = domains?.split(',').every((domain) => /^(\*\.)?[A-Za-z0-9.-]+$/.test(domain.trim()))
  return certificate !== '' && key !== '' && more === undefined && named !== false
}
