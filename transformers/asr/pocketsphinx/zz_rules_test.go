package pocketsphinx
import ("testing";"edged/ai/rules";"os";"fmt";"strings";"edged/internal/recordings")
func TestZZRules(t *testing.T){
	g:=rules.Grammar()
	r,err:=New(Config{Grammar:g,Decoders:2})
	if err!=nil{t.Fatal(err)}
	defer r.Close()
	out,_:=os.Create("/tmp/ex/rows.tsv")
	defer out.Close()
	list,_:=os.ReadFile("/tmp/ex/list2.tsv")
	for l:=range strings.Lines(string(list)){ p:=strings.Split(strings.TrimSpace(l),"\t")
	 h:=mustRecognize(t,r,endpointed(t,p[0])); fmt.Fprintf(out,"%s\t%s\t%s\t%s\t%s\n",p[1],p[2],p[3],h.Grammar,h.Free)}
	all,_:=recordings.Load("../../../testdata/audio")
	for _,x:=range all{ h:=mustRecognize(t,r,read(t,x.Path)); k:="in2"; if x.Intent=="decline"{k="out2"}; fmt.Fprintf(out,"%s\t%s\t%s\t%s\t%s\n",k,"T"+x.Speaker,strings.ToLower(strings.Trim(x.Text,".?")),h.Grammar,h.Free)}
	for _,dir:=range []string{"librivox","cards"}{ f,_:=os.ReadDir(humanDir+"/"+dir); for _,e:=range f{ if strings.HasSuffix(e.Name(),".wav"){ h:=mustRecognize(t,r,endpointed(t,humanDir+"/"+dir+"/"+e.Name())); fmt.Fprintf(out,"out2\thuman\thuman\t%s\t%s\n",h.Grammar,h.Free)}}}
}
