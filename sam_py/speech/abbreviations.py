"""Words whose full stop ends no sentence, of several languages together: nobody tells us which one is spoken.

Keys are folded (lower case) and have no final full stop; full stops and spaces inside are as in "z.b" for "z. B.".
Chosen by hand from what models write; a word that is an everyday word of another language ("no", "max", "art") is only
in the class that asks for more evidence.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES = _words(
    "mr mrs ms mx dr prof rev hon gen col capt cpt lt sgt maj cmdr adm gov sen rep pres supt messrs mmes insp"
    " hr fr frl dipl ing mag univ priv phil med rer nat jur habil hl gebr"
    " mgr mme mmes mlle mlles mm me ste"
    " sra srta sres dña dra lic arq excmo excma ilmo mons fray ud uds vd vds sto"
)
"""Stand before a name; only where they begin with a capital."""

NEVER_LAST = _words(
    "e.g i.e eg ie vs cf viz ca approx a.k.a aka incl excl esp w.r.t resp"
    " z.b d.h i.d.r i.a u.a s.o s.u o.ä.d m.e u.u z.t z.zt d.i i.e.s i.s i.v u.ä o.g u.g b.z.w i.h.v bzw ggf ggfs evtl"
    " evt sog inkl exkl vgl bspw beisp insb insbes urspr eigtl gem lt bzgl abzgl zzgl einschl ausschl entspr"
    " jew allg zw mind ungef betr engl frz griech lat ital v.a a.d s.a o.a"
    " p.ex c.-à-d c.à.d càd par.ex cad env not c-à-d"
    " p.ej ej p.e aprox pról fdo"
    " т.е т.н т.к см напр"
)
"""Something always follows: "e.g. this"."""

BEFORE_NUMBER = _words(
    "no nos nr nrs nº n° núm num fig figs eq eqs sec secs ch chs chap vol vols p pp pg pgs art arts para paras para tab"
    " tbl ed ref refs ver v app apps ex abb abs kap bd bde s z zl ziff hs § tbd lfd §§ anm anl jg jhg aufl hft ausg"
    " pág págs cap caps tít párr lám tel tél téléc fax bl postf bl app alg thm lem prop cor def"
    " стр гл рис табл"
)
"""End no sentence before a number: "No. 5", "Abb. 3"."""

OFTEN_LAST = _words(
    "etc usw usf uvm u.s.w u.s.f u.v.m u.v.a u.a.m ff et.c etc.pp q.e.d т.д т.п и.т.д и.т.п w.z.b.w rip"
)
"""End a sentence wherever a capital follows: "and so on, etc. The rest"."""

EITHER = _words(
    "inc ltd co corp bros jr sr st ave blvd rd hwy mt ft dept dist assn assoc intl natl govt univ est al esq"
    " u.s u.k u.n e.u u.s.a d.c l.a n.y u.s.s.r a.m p.m am.pm b.c a.d b.c.e c.e ph.d m.d b.a m.a b.sc m.sc d.phil ll.d"
    " d.d.s m.b.a r.i.p p.s n.b p.o"
    " jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun"
    " min mins sek std stdn hr hrs sec secs yr yrs mo mos wk wks oz lb lbs in ft yd gal pt qt tsp tbsp km cm mm kg"
    " v.chr n.chr v.u.z n.u.z mio mrd tsd str pl hbf bhf nr okt dez mär mrz mai ges gmbh e.v a.d a.g hrsg übers verf"
    " red jh jhd jhdt jt m.b.h o.j s.l z.hd i.r a.m a.b d.j d.m dgl u.dgl desgl ehem verh gest geb gesch led"
    " janv févr fév avr juil déc av boul bd fbg apr.j.-c av.j.-c j.-c apr apr.j.c av.j.c hab dépt éd coll trad s.a.r.l"
    " s.a s.a.s s.n.c n.d"
    " a.c d.c a.de.c d.de.c ee.uu ee.uu.a s.l avda ctra dpto depto edif esq izq izda dcha dcho prov tfno aprox"
    " ene abr ago dic máx mín max gral sta c.v ff.aa rr.hh jj.oo pp"
    " г гг руб коп тыс млн млрд ул им"
)
"""May end a sentence: they do where the next word often begins one."""

COMPANY = _words("Inc Ltd Corp Co LLC GmbH AG Plc PLC SA Group Kids Games Mail Japan News Finance Answers")
"""After a name that ends in "!" ("Yahoo! Inc.")."""

MONTHS = _words(
    "january february march april may june july august september october november december"
    " januar jänner februar märz mai juni juli oktober dezember jan feb mär mrz apr jun jul aug sep sept okt nov dez"
    " montag dienstag mittwoch donnerstag freitag samstag sonntag"
)
ORDINAL_NOUNS = _words(
    "jahrhundert jahrhunderts jahrhunderte jahrtausend platz rang stock stockwerk etage klasse auflage mal tag tages"
    " woche monat monats jahr jahrestag jahrestages lebensjahr weltkrieg weltkriegs weltkrieges geburtstag runde liga"
    " semester quartal halbjahr schritt punkt stelle kapitel teil band akt szene sinfonie symphonie dynastie"
    " armee division bezirk wahlgang spieltag minute stunde person potenz ordnung grades grad"
    " version ausgabe generation bundesliga oktober kongress parteitag änderung zusatzartikel breitengrad längengrad"
)
"""German nouns that an ordinal ("das 3. Kapitel") stands before."""

BEFORE_ORDINAL = _words(
    "am vom zum zur im beim der die das dem den des ein eine einen einem einer ihr ihre ihren ihrem ihrer sein seine"
    " seinen seinem seiner mein meine meinen meinem unser unsere unseren unserem jeder jede jedes jedem jeden dieser"
    " diese dieses diesem diesen ins ab bis seit zwischen und oder sowie nach vor pro"
)
"""German words that an ordinal follows: "am 3.", "im 19."."""

STARTERS = _words(
    # English
    "the a an this that these those he she it we you they i his her its my our your their there here in on at by for"
    " from with without when while where who what why how if as but and or so yet then now after before since because"
    " although though however therefore thus hence also another all any some many most more both each every no not one"
    " two three first second third finally next last later today tomorrow yesterday let please note see use is are was"
    " were do does did can could should would will may might have has had to of such until once instead meanwhile"
    " moreover furthermore additionally only even just still again never nothing everyone nobody"
    # German
    " der die das ein eine einer eines dieser diese dieses er sie es wir ihr ich du man hier dort da dann danach dabei"
    " dafür damit deshalb daher darum dennoch doch aber und oder denn im am an auf aus bei mit nach von vor zu zum zur"
    " für über unter wenn weil als ob wie was wer wo warum wann nun jetzt heute morgen gestern auch nur noch nicht kein"
    " keine alle viele einige manche beide jeder jede zuerst zunächst schließlich außerdem trotzdem allerdings später"
    " seit bis während obwohl bitte siehe sein seine ihre unser unsere mein meine"
    # French
    " le la les l un une des ce cet cette ces il elle ils elles nous vous je tu on c'est et ou mais donc or ni car dans"
    " sur sous avec sans pour par en au aux à de du quand lorsque si comme puis ensuite enfin ainsi alors aussi après"
    " avant depuis pendant voici voilà cela ça ceci son sa ses leur leurs notre nos votre vos mon ma mes tous toutes"
    " chaque plusieurs aucun aujourd'hui hier demain toutefois cependant pourtant"
    # Spanish
    " el la los las un una unos unas este esta estos estas ese esa esto eso aquel él ella ellos ellas nosotros usted"
    " ustedes yo y o pero en con sin por para de del al a según cuando si como porque aunque entonces luego después"
    " antes desde hasta también además sin embargo finalmente hoy ayer mañana su sus mi mis nuestro nuestra todo todos"
    " todas cada muchos muchas algunos ningún hay es son fue era no se lo le les"
    # Russian
    " он она оно они мы вы я это этот эта эти в на с по для и но а когда если затем потом"
)
"""Words that often begin a sentence, capitalised there; a name is seldom one of them."""
