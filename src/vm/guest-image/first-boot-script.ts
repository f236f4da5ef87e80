/**
 * Applies the seed of the guest as cloud-init would: host name and SSH keys from the meta data, and user data that is a
 * script or a #cloud-config. What takes long, the script or the commands, is left in /run/user-data.
 */
export const FIRST_BOOT = `#!/bin/sh
authorize() {
  mkdir -p /root/.ssh
  chmod 700 /root/.ssh
  printf '%s\\n' "$1" >>/root/.ssh/authorized_keys
  chmod 600 /root/.ssh/authorized_keys
}
put() {
  mkdir -p "$(dirname "$1")"
  case "$3" in
    b64|base64) printf %s "$4" | base64 -d >"$1" ;;
    *) printf %s "$4" >"$1" ;;
  esac
  [ -z "$2" ] || chmod "$2" "$1"
}
for disk in /dev/vd* /dev/sr* /dev/sd*; do
  # The volume name of an ISO 9660 file system is at this offset.
  label=$(dd if="$disk" bs=1 skip=32808 count=8 2>/dev/null | tr 'A-Z\\0' 'a-z ')
  case "$label" in
    cidata*) user=user-data meta=meta-data ;;
    config-2*) user=openstack/latest/user_data meta=openstack/latest/meta_data.json ;;
    *) continue ;;
  esac
  mount -t iso9660 -o ro "$disk" /seed || continue
  # The meta data is YAML or, which is YAML as well, JSON.
  name=$(sed -n 's/.*local[-_]hostname"\\{0,1\\}: *"\\{0,1\\}\\([A-Za-z0-9.-]*\\).*/\\1/p' /seed/$meta)
  [ -z "$name" ] || hostname "$name"
  grep -oE '(ssh-|ecdsa-|sk-)[a-z0-9@.-]+ [A-Za-z0-9+/=]+' /seed/$meta >/run/keys
  while read -r key; do authorize "$key"; done </run/keys
  case "$(head -n 1 /seed/$user)" in
    '#!'*) cp /seed/$user /run/user-data ;;
    '#cloud-config'*)
      echo '#!/bin/sh' >/run/user-data
      awk -v commands=/run/commands -f /etc/cloud-config.awk /seed/$user >/run/cloud-config
      . /run/cloud-config
      cat /run/commands >>/run/user-data 2>/dev/null
      ;;
  esac
  [ ! -e /run/user-data ] || chmod 700 /run/user-data
  break
done
`;
