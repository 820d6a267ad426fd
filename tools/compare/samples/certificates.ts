/** A root certificate without a key to anything, and a request for another. */

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
