#!/usr/bin/env python3
"""usage: codemod.py alias|move|local   (cwd: repository root)"""
import os,re,sys,subprocess,json
mode=sys.argv[1]
table=[l.split() for l in open(sys.argv[2] if len(sys.argv)>2 else 'tools/renames/00-areas.moves') if l.strip() and not l.startswith('#')]
files=subprocess.run(['git','ls-files','*.ts'],capture_output=True,text=True).stdout.split()
def new(p):
    for o,n in table:
        if p==o or p.startswith(o+'/'): return n+p[len(o):]
    return p
def unit(p):  # of a NEW path
    parts=p.split('/')
    if parts[0]!='src': return parts[0]
    if parts[1] in('api','testing'): return 'src/'+parts[1]
    if parts[1] in('platform','control-plane','vm','fleet','programs') and len(parts)>3: return '/'.join(parts[:3])
    return '/'.join(parts[:2]) if len(parts)>2 else 'src'
AREAS=('testing','api','platform','control-plane','vm','fleet','programs')
spec=re.compile(r"""((?:from|import)\s*\(?\s*)'((?:\.{1,2}/|\#)[^'\n]*)'""")
def rel(frm,to):
    r=os.path.relpath(to,os.path.dirname(frm))
    return r if r.startswith('.') else './'+r
known=set(files)|set(subprocess.run(['git','ls-files','*.json'],capture_output=True,text=True).stdout.split())
if mode in('alias','local'):
    changed=0
    for f in files:
        s=open(f).read()
        def sub(m):
            head,sp=m.groups()
            if sp.startswith('#'):
                t='src/'+sp[1:]+'.ts'   # final alias names a new path
                inv=[o+t[len(n):] for o,n in table if t==n or t.startswith(n+'/')]
                cand=[c for c in inv if c in known] or ([t] if t in known else [])
                if not cand: return m.group(0)
                old=cand[0]
            else:
                old=os.path.normpath(os.path.join(os.path.dirname(f),sp))
            if old not in known or not old.startswith('src/'): return m.group(0)
            nf,nt=new(f),new(old)
            if nt.endswith('.json'):
                return m.group(0)
            same=unit(nf)==unit(nt)
            if same and rel(f,old)==rel(nf,nt): return f"{head}'{rel(f,old)}'"
            if nt.split('/')[1] not in AREAS: return f"{head}'{rel(f,old)}'"
            return f"{head}'#{nt[4:-3]}'"
        out=spec.sub(sub,s)
        if out!=s: open(f,'w').write(out); changed+=1
    print('changed',changed)
elif mode=='move':
    for o,n in table:
        if not os.path.exists(o): print('missing',o); continue
        os.makedirs(os.path.dirname(n),exist_ok=True)
        if os.path.isdir(o) and os.path.isdir(n):
            for root,_,fs in os.walk(o):
                for x in fs:
                    src=os.path.join(root,x); dst=n+src[len(o):]
                    os.makedirs(os.path.dirname(dst),exist_ok=True)
                    subprocess.check_call(['git','mv',src,dst])
        else: subprocess.check_call(['git','mv',o,n])
