/** A root certificate without a key to anything, and requests for others. */
import { der } from './authority.ts'

/** A self-signed root certificate in PEM form. */
export const rootCertificate = `${[
  '-----BEGIN CERTIFICATE-----',
  'MIIBgDCCASWgAwIBAgIUGyClAc+um/tyHSx/BivCLfVsJ4QwCgYIKoZIzj0EAwIw',
  'FDESMBAGA1UEAwwJdGVzdC1yb290MCAXDTI2MTEyMTA3MTAwM1oYDzIxMjYxMDI4',
  'MDcxMDAzWjAUMRIwEAYDVQQDDAl0ZXN0LXJvb3QwWTATBgcqhkjOPQIBBggqhkjO',
  'PQMBBwNCAARZPQ8XZXQzi4s3AwSNyQqgDQvqaQaQfLN0JW6AmLH8semMj5Mfz00G',
  'cHc+3OvXDZ/pDohIkq8PaiBYGsz7Ylo/o1MwUTAdBgNVHQ4EFgQULJn07tefnkJN',
  'PVMUPSvHD1xD3s0wHwYDVR0jBBgwFoAULJn07tefnkJNPVMUPSvHD1xD3s0wDwYD',
  'VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA52zzvVE+PlQfZWcsc8Og',
  'iOPP5EFThC4XPRJ5cRFTdo0CIQD/i3/nXog+WBMprtnGVBqz2QnmbRTocxyEvm7C',
  'tiyPqg==',
  '-----END CERTIFICATE-----',
].join('\n')}\n`

/** A PKCS#10 request in PEM form, in base64 as objects carry it. */
export const certificateRequest = Buffer.from(
  `${[
    '-----BEGIN CERTIFICATE REQUEST-----',
    'MIHcMIGCAgEAMCAxEDAOBgNVBAoMB2V4YW1wbGUxDDAKBgNVBAMMA2FubjBZMBMG',
    'ByqGSM49AgEGCCqGSM49AwEHA0IABFk9DxdldDOLizcDBI3JCqANC+ppBpB8s3Ql',
    'boCYsfyx6YyPkx/PTQZwdz7c69cNn+kOiEiSrw9qIFgazPtiWj+gADAKBggqhkjO',
    'PQQDAgNJADBGAiEAjUIeT2wFF6pTol/LuzEok5vOAnF2AxPZ1T0P+8erFg4CIQCL',
    'PQdBYXthHM7zU8hG+UcFZLQjlEgMw72Fa8JgwsSFIA==',
    '-----END CERTIFICATE REQUEST-----',
  ].join('\n')}\n`,
).toString('base64')

const organization = der(0x06, Buffer.from([0x55, 0x04, 0x0a]))

/** An organization as a name has it: as UTF-8 unless it is given as DER. */
export function organizationIs(value: string | Buffer): Buffer {
  const text = typeof value === 'string' ? der(0x0c, Buffer.from(value)) : value
  return der(0x30, organization, text)
}

/** A request of a subject, in PEM form: as much of it as its subject, which is given as the parts of its name. */
export function requestOf(...names: readonly Buffer[]): string {
  const subject = der(0x30, ...names.map((name) => der(0x31, name)))
  const content = der(0x30, der(0x30, der(0x02, Buffer.from([0])), subject)).toString('base64')
  return `-----BEGIN CERTIFICATE REQUEST-----\n${content}\n-----END CERTIFICATE REQUEST-----\n`
}
