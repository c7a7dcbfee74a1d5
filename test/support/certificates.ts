import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Files in PEM of an authority and of those whose certificates it signed. */
export interface Certificates {
  readonly ca: string;
  /** Of 127.0.0.1: its key and certificate in one file. */
  readonly server: string;
  readonly client: { readonly cert: string; readonly key: string };
  /** The client's key once more, behind a password. */
  readonly lockedKey: string;
}

/** Makes an authority with a server and a client, by openssl. */
export async function makeCertificates(folder: string, keyPassword: string): Promise<Certificates> {
  await mkdir(folder, { recursive: true });
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });
  const newKey = (name: string) =>
    openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', name);
  await newKey('ca.key');
  await openssl(
    'req',
    '-x509',
    '-new',
    '-key',
    'ca.key',
    '-subj',
    '/CN=trial authority',
    '-days',
    '2',
    '-out',
    'ca.pem',
  );
  for (const [name, extension] of [
    ['server', 'subjectAltName=IP:127.0.0.1'],
    ['client', 'extendedKeyUsage=clientAuth'],
  ] as const) {
    await newKey(`${name}.key`);
    await openssl('req', '-new', '-key', `${name}.key`, '-subj', `/CN=${name}`, '-out', `${name}.csr`);
    await writeFile(file(`${name}.ext`), extension);
    await openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-days', '2', '-extfile', `${name}.ext`, '-out', `${name}.pem`],
    );
  }
  await openssl('pkcs8', '-topk8', '-in', 'client.key', '-passout', `pass:${keyPassword}`, '-out', 'locked.key');
  await writeFile(
    file('keystore.pem'),
    (await readFile(file('server.key'), 'utf8')) + (await readFile(file('server.pem'), 'utf8')),
  );
  return {
    ca: file('ca.pem'),
    server: file('keystore.pem'),
    client: { cert: file('client.pem'), key: file('client.key') },
    lockedKey: file('locked.key'),
  };
}
